import { expect, it } from 'vitest'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { history, say } from '../../../src/testing/helpers.ts'
import { createTabs } from './support/tabs.ts'

it('asks once for a session that is not there, as long as nobody says that it is', async () => {
  let asked = 0
  const memory = createMemoryBackend()
  const {
    tabs: [one, other],
    tell,
  } = createTabs({ ...memory, loadSession: (key) => ((asked += 1), memory.loadSession(key)) })
  const options = { isKey: true } as const
  for (let i = 0; i < 3; i++) expect(await one.getVector('s', options)).toBeUndefined()
  expect(asked).toBe(1)

  await say(other, 's', ['a'])
  tell()
  expect(await one.getVector('s', options)).toEqual(await other.getVector('s', options))
})

it('makes a session that another tab has made meanwhile longer, and not a second one', async () => {
  const {
    tabs: [one, other],
  } = createTabs(createMemoryBackend())
  await one.getMeta('s')
  await say(other, 's', ['a'])
  await say(one, 's', ['b'])
  expect(await history(one, 's')).toEqual(['a', 'b'])
})

it('does not keep what it was reading when another tab wrote', async () => {
  const memory = createMemoryBackend()
  let onRead: (() => Promise<void>) | undefined
  const {
    tabs: [one, other],
    tell,
  } = createTabs({
    ...memory,
    loadSession: async (key) => {
      const rows = await memory.loadSession(key)
      await onRead?.()
      return rows
    },
  })
  onRead = async () => {
    onRead = undefined
    await say(other, 's', ['a'])
    tell()
  }
  await one.getMeta('s')
  expect(await history(one, 's')).toEqual(['a'])
})

it('does not keep what it has written when another tab has written since', async () => {
  const memory = createMemoryBackend()
  let onStored: (() => Promise<void>) | undefined
  const {
    tabs: [one, other],
    tell,
  } = createTabs({
    ...memory,
    commit: async (batch, durability) => {
      const outcome = await memory.commit(batch, durability)
      await onStored?.()
      return outcome
    },
  })
  onStored = async () => {
    onStored = undefined
    await say(other, 's', ['b'])
    tell()
  }
  await say(one, 's', ['a'])
  expect(await one.getVector('s')).toEqual(await other.getVector('s'))
})
