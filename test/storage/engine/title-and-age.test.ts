import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, entryOf, user } from '../../../src/testing/helpers.ts'

const titleAndAge = async (store: SessionStore): Promise<unknown> => {
  const { title, createdAt } = (await store.getMeta('s'))!
  return [title, createdAt]
}

/** Two devices; the clock of the second is at 5,000 ms. */
function createDevices(): readonly [SessionStore, SessionStore] {
  return [
    createSessionStore(createMemoryBackend(), { now: () => 1_000 }),
    createSessionStore(createMemoryBackend(), { now: () => 5_000 }),
  ]
}

const send = async (from: SessionStore, to: SessionStore): Promise<unknown> =>
  to.merge('s', await allChanges(from, 's'))
const ask = (store: SessionStore, text: string, at: number): Promise<unknown> =>
  store.append('s', [entryOf(user(text), { at })])

it('are those of the new conversation, on every device, where a deleted session was started afresh', async () => {
  const [one, two] = createDevices()
  await ask(one, 'the old one', 1_000)
  await send(one, two)
  await two.delete('s')
  await ask(two, 'the new one', 5_500)
  await send(two, one)
  const fresh = createSessionStore(createMemoryBackend())
  await fresh.merge('s', (await allChanges(two, 's')).toReversed())
  for (const store of [one, two, fresh]) expect(await titleAndAge(store)).toEqual(['the new one', 5_000])
})

it('are those of what comes back when a session is undeleted', async () => {
  const [one, two] = createDevices()
  await ask(one, 'the only one', 1_000)
  await one.delete('s')
  await one.undelete('s')
  await send(one, two)
  for (const store of [one, two]) expect(await titleAndAge(store)).toEqual(['the only one', 1_000])
})

it('follow the first message of a user that is to be seen', async () => {
  const [one] = createDevices()
  await ask(one, 'first', 1_000)
  await ask(one, 'second', 1_001)
  const [first] = (await one.read('s')).entries
  await one.edit('s', first!, user('said better'))
  expect((await one.getMeta('s'))?.title).toBe('said better')
  await one.remove('s', first!)
  expect((await one.getMeta('s'))?.title).toBe('second')
  await one.openBranch('s', { after: 'start' })
  expect((await one.getMeta('s'))?.title).toBe('')
  await ask(one, 'asked differently', 1_002)
  expect(await titleAndAge(one)).toEqual(['asked differently', 1_000])
})
