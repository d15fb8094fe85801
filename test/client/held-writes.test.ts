import { expect, it } from 'vitest'
import { createHeldReplay } from '../../src/client/recovery/replay-held-writes.ts'
import { SessionError } from '../../src/contract/errors.ts'
import type { WriteBatch } from '../../src/contract/write-batch.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { texts } from '../mirror/support/talk.ts'

/** A store on a disk that takes no long message until somebody makes room. */
function createFullStore(onRefused: (makeRoom: () => void) => void) {
  const backend = createMemoryBackend()
  let room = 3000
  const size = ({ sessions }: WriteBatch): number =>
    sessions
      .flatMap(({ append, insert }) => [...append, ...insert])
      .flatMap(({ entries }) => entries)
      .reduce((sum, { bytes }) => sum + bytes, 0)
  return createSessionStore({
    ...backend,
    commit: async (batch, durability) => {
      if (size(batch) <= room) return backend.commit(batch, durability)
      onRefused(() => (room = Infinity))
      throw new SessionError('QuotaExceeded', 'The disk is full.')
    },
  })
}

it('stores held writes of a session in their order, also when the first of them has to wait for room', async () => {
  let makeRoom: (() => void) | undefined
  const store = createFullStore((make) => (makeRoom = make))
  const notices: string[] = []
  const { replay, pending } = createHeldReplay(
    store,
    'db',
    (name) => notices.push(name),
    () => true,
  )
  const question = `long question ${'x'.repeat(4000)}`
  replay([
    { method: 'addMessage', args: ['k', 'user', question, { operationId: 'a' }] },
    { method: 'addMessage', args: ['k', 'assistant', 'answer', { operationId: 'b' }] },
    { method: 'openDraft', args: ['k', { id: 'd', role: 'assistant' }] },
    { method: 'addMessage', args: ['other', 'user', 'elsewhere', { operationId: 'c' }] },
  ])
  replay([
    { method: 'writeDraft', args: ['k', 'd', 0, { text: 'more' }] },
    { method: 'sealDraft', args: ['k', 'd', { role: 'assistant', content: 'more' }, {}] },
  ])
  await expect.poll(() => texts(store, 'other')).toEqual(['elsewhere'])
  await expect.poll(() => makeRoom).toBeDefined()
  expect(await texts(store, 'k')).toEqual([])
  makeRoom?.()
  await expect.poll(pending).toBe(0)
  expect(notices).toEqual(['recovered', 'recovered'])
  expect(await texts(store, 'k')).toEqual([question, 'answer', 'more'])
})

it('a new write waits for the held ones of its session, and is refused while these have no room', async () => {
  let makeRoom: () => void = () => undefined
  const store = createFullStore((make) => (makeRoom = make))
  const { replay, turn, pending, close } = createHeldReplay(
    store,
    'db',
    () => undefined,
    () => true,
  )
  const question = `long question ${'x'.repeat(4000)}`
  replay([
    { method: 'addMessage', args: ['k', 'user', question, { operationId: 'a' }] },
    { method: 'addMessage', args: ['k', 'assistant', 'answer', { operationId: 'b' }] },
  ])
  expect(turn('other')).toBeUndefined()
  await expect(turn('k')?.()).rejects.toMatchObject({ name: 'QuotaExceeded' })
  await expect(turn('k')?.()).rejects.toMatchObject({ name: 'QuotaExceeded' })
  makeRoom()
  // Whoever waits has them tried again at once.
  await turn('k')?.()
  expect(await texts(store, 'k')).toEqual([question, 'answer'])
  expect([pending(), turn('k')]).toEqual([0, undefined])
  close()
})
