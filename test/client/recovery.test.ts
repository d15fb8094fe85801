import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { NoticeChange, StoreChange } from '../../src/contract/change.ts'
import { type FailingDatabase, failDatabase } from './support/failing-database.ts'
import { createProfile, type Profile } from './support/open-port-client.ts'

let profile: Profile
let database: FailingDatabase
let client: SessionClient
let notices: NoticeChange['name'][]

beforeEach(async () => {
  profile = createProfile()
  database = failDatabase(profile.indexedDB)
  notices = []
  client = await profile.open({
    onChange: (change: StoreChange) => void (change.type === 'notice' && notices.push(change.name)),
  })
  await client.store.addMessage('k', 'user', 'before')
})
afterEach(async () => {
  database.bringBack()
  await client.close()
})

const contents = async (key = 'k'): Promise<unknown[]> =>
  (await client.store.getHistory(key)).map(({ content }) => content)

it('holds messages in memory while there is no way to the database, and stores them once and in order when there is', async () => {
  database.lose()
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  for (const name of names) await client.store.addMessage('k', 'user', name)
  await client.store.append('other', [{ type: 'message', message: { role: 'user', content: 'elsewhere' } }])
  expect(await client.upkeep.health()).toMatchObject({
    mode: 'memory',
    durable: false,
    recovery: { rung: 'memory', held: 7 },
  })
  database.bringBack()
  await expect.poll(() => notices).toContain('recovered')
  expect(await contents()).toEqual(['before', ...names])
  expect(await contents('other')).toEqual(['elsewhere'])
  expect(await client.upkeep.health()).toMatchObject({
    mode: 'worker',
    durable: true,
    recovery: { rung: 'worker', held: 0, history: [{ rung: 'memory' }, { rung: 'worker' }] },
  })
  expect(notices).toEqual(['degraded', 'workerRestarted', 'recovered'])
})

it('keeps what was under way when the database was lost', async () => {
  database.lose()
  const storing = Array.from({ length: 40 }, (_, i) => client.store.addMessage('k', 'user', `${i}`))
  await Promise.all(storing)
  expect(await client.upkeep.health()).toMatchObject({ recovery: { held: 40 } })
})

it("says that what is stored can't be read, and does not call it empty", async () => {
  database.lose()
  for (const ask of [
    () => client.store.getHistory('k'),
    () => client.listSessions(),
    () => client.store.getMeta('k'),
    () => client.delete('k'),
    () => client.store.append('k', [], { parent: '' }),
  ]) {
    await expect(ask()).rejects.toMatchObject({
      name: 'StorageUnavailable',
      message: expect.stringContaining('server lost'),
    })
  }
})

it('stores what it holds when it is closed, if the database is back by then', async () => {
  database.lose()
  await client.store.addMessage('k', 'user', 'after')
  database.bringBack()
  await client.close()
  client = await profile.open()
  expect(await contents()).toEqual(['before', 'after'])
})

it('says what is lost when it is closed and the database is not back', async () => {
  database.lose()
  await client.store.addMessage('k', 'user', 'after')
  await client.close()
  expect(notices).toEqual(['degraded', 'dataLost'])
})

it('keeps a streamed reply that ends while the database is away', async () => {
  const reply = (await client.session('k')).stream()
  reply.write('one ')
  await reply.id
  database.lose()
  reply.write('two')
  await reply.end()
  database.bringBack()
  await expect.poll(() => notices).toContain('recovered')
  expect(await contents()).toEqual(['before', 'one two'])
})

it('tries a bounded number of times to open a database that does not come back', async () => {
  database.lose()
  await Promise.allSettled(Array.from({ length: 50 }, () => client.store.getHistory('k')))
  // Three by the worker that lost it, one by the next.
  expect(database.openings()).toBe(4)
})

it('goes on by itself after one transaction failed with its connection', async () => {
  database.lose()
  const reading = client.store.getHistory('k')
  await expect.poll(() => database.openings()).toBeGreaterThan(0)
  database.bringBack()
  expect(await reading).toHaveLength(1)
  expect({ notices, restarts: (await client.upkeep.health()).restarts }).toEqual({ notices: [], restarts: 0 })
})
