import { expect, it } from 'vitest'
import { createTranscriptLog } from '../../src/client/session/transcript-log.ts'
import type { SessionChange } from '../../src/contract/change.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

async function openLog() {
  const changes: SessionChange[] = []
  const store = createSessionStore(createMemoryBackend(), {
    onChange: (change) => void (change.type === 'session' && changes.push(change)),
  })
  for (const text of ['one', 'two', 'three']) await store.addMessage('k', 'user', text)
  const log = createTranscriptLog(store, 'k', 10)
  const show = await log.read()
  show()
  const texts = () => log.page().entries.map(({ message }) => message?.content)
  return { store, changes, log, texts }
}

it('does not take the first changes of a session for old ones of the session that had its key before', async () => {
  const { store, changes, log } = await openLog()
  await store.purge('k')
  await store.addMessage('k', 'user', 'begun anew')
  expect(log.includes(changes.at(-1)!)).toBe(false)
  expect(log.apply(changes.at(-1)!)).toBe(false)
})

it('takes nothing that it hears late of the session that had its key before', async () => {
  const { store, changes, log, texts } = await openLog()
  await store.purge('k')
  await store.addMessage('k', 'user', 'begun anew')
  const show = await log.read()
  show()
  const late = changes[1]!
  expect([log.includes(late), log.apply(late)]).toEqual([false, false])
  expect(texts()).toEqual(['begun anew'])
})

it('puts nothing before a session that was begun anew while earlier entries were read', async () => {
  const { store, log, texts } = await openLog()
  const lengthening = log.lengthen(10)
  await store.purge('k')
  for (const text of ['four', 'five', 'six']) await store.addMessage('k', 'user', text)
  const show = await log.read()
  show()
  const lengthen = await lengthening
  expect(lengthen()).toBe(false)
  expect(texts()).toEqual(['four', 'five', 'six'])
})

it('reads no more than before when earlier entries could not be read', async () => {
  const { store } = await openLog()
  let isFailing = true
  const failing: typeof store = {
    ...store,
    read: async (key, options) => {
      if (isFailing && options?.before !== undefined) throw new Error('The disk is gone.')
      return store.read(key, options)
    },
  }
  const log = createTranscriptLog(failing, 'k', 1)
  const show = await log.read()
  show()
  await expect(log.lengthen(1)).rejects.toThrow('The disk is gone.')
  isFailing = false
  const showAgain = await log.read()
  showAgain()
  expect(log.page().entries).toHaveLength(1)
  const lengthen = await log.lengthen(1)
  expect(lengthen()).toBe(true)
  expect(log.page().entries).toHaveLength(2)
})
