import { IDBKeyRange } from 'fake-indexeddb'
import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { numbered, say, transcript } from '../../src/testing/helpers.ts'
import { changeStore } from '../storage/damage-indexeddb.ts'
import { createProfile, type Profile } from './support/open-port-client.ts'

const name = 'damaged'
const clients: SessionClient[] = []
let changes: StoreChange[] = []
async function open(profile: Profile): Promise<SessionClient> {
  const client = await profile.open({ name, onChange: (change) => changes.push(change) })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  changes = []
})

const notices = (): readonly string[] => changes.flatMap((change) => (change.type === 'notice' ? [change.name] : []))

/** Two sessions, and a third whose hot row says nothing any more. */
async function damaged(profile: Profile): Promise<void> {
  const client = await open(profile)
  for (const key of ['a', 'b', 'broken']) await say(client.store, key, numbered(70))
  await client.close()
  await changeStore(profile.indexedDB, name, 'sessions', (sessions) => sessions.put({ key: 'broken' }))
}

it("has a job worker make rows again that the session worker can't read, once, and goes on with them", async () => {
  const profile = createProfile()
  await damaged(profile)
  const client = await open(profile)
  const [read, list] = await Promise.all([transcript(client.store, 'broken'), client.listSessions()])
  expect(read).toEqual(numbered(70))
  expect(list.sessions.map(({ key }) => key).sort()).toEqual(['a', 'b', 'broken'])
  await say(client.store, 'broken', ['next'])
  expect(await transcript(client.store, 'broken')).toEqual([...numbered(70), 'next'])
  expect(profile.repairers.map((repairer) => repairer.isTerminated())).toEqual([true])
  expect(notices()).toEqual(['repaired'])
  expect((await client.store.verify()).problems).toEqual([])
})

it('fails the call and no other while nobody can make them again', async () => {
  const profile = createProfile()
  await damaged(profile)
  const backend = await openIndexedDbBackend({ name, indexedDB: profile.indexedDB, IDBKeyRange })
  const numbers = await Promise.all(['a', 'b'].map(async (key) => (await backend.loadSession(key))!.hot.session))
  await backend.close()
  for (const number of numbers)
    await changeStore(profile.indexedDB, name, 'details', (details) => details.put({ nonsense: true }, number))
  for (const key of ['a', 'b'])
    await changeStore(profile.indexedDB, name, 'sessions', (sessions) => sessions.put({ key }))
  const client = await open(profile)
  await expect(client.store.read('a')).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  expect(await transcript(client.store, 'broken')).toEqual(numbered(70))
})
