import { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'
import { afterAll, afterEach, expect, it } from 'vitest'
import { createSaver } from '../../../src/adapters/langgraph/create-saver.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { RowWrite } from '../../../src/contract/store/collections.ts'
import { createProfile } from '../../client/support/open-port-client.ts'
import { countRequests } from '../../scale/support/count-requests.ts'

const requests = countRequests()
afterAll(() => requests.restore())
const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const metadata = { source: 'loop' as const, step: 1, parents: {} }
const configOf = (i: number) => ({ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: idOf(i) } })
const idOf = (i: number): string => String(i).padStart(6, '0')
const checkpointOf = (i: number) => ({
  v: 4,
  id: idOf(i),
  ts: '2026-11-27T00:00:00.000Z',
  channel_values: { step: i, messages: ['Hello'] },
  channel_versions: { step: i + 1, messages: 1 },
  versions_seen: {},
})

/** A thread with so many checkpoints: two that were put, and copies of the second one's rows. */
async function threadOf(count: number): Promise<BaseCheckpointSaver> {
  const client = await createProfile().open({ name: 'graphs' })
  clients.push(client)
  const saver = createSaver(client, { BaseCheckpointSaver })
  await saver.put({ configurable: { thread_id: 't' } }, checkpointOf(0), metadata, { step: 1, messages: 1 })
  await saver.put(configOf(0), checkpointOf(1), metadata, { step: 2 })
  await saver.putWrites(configOf(1), [['step', 1]], 'task')
  const collection = client.collection('langgraph')
  const { rows } = await collection.range()
  const ofSecond = rows.filter(({ key }) => key.includes(idOf(1)))
  expect(ofSecond.length).toBe(3)
  let writes: RowWrite[] = []
  for (let i = 2; i < count - 1; i++) {
    for (const { key, value } of ofSecond) writes.push({ type: 'put', key: key.replace(idOf(1), idOf(i)), value })
    if (writes.length < 3000 && i < count - 2) continue
    await collection.write(writes)
    writes = []
  }
  await saver.put(configOf(1), checkpointOf(count - 1), metadata, { step: count })
  await saver.putWrites(configOf(count - 1), [['step', 1]], 'task')
  return saver
}

it('asks the same of the database in a thread of 10,000 checkpoints as in one of 10', async () => {
  const costs = async (count: number): Promise<unknown> => {
    const saver = await threadOf(count)
    const latest = { configurable: { thread_id: 't' } }
    const calls: readonly (readonly [string, (turn: number) => Promise<unknown>])[] = [
      ['getTuple of the latest', () => saver.getTuple(latest)],
      ['getTuple of an early one', () => saver.getTuple(configOf(1))],
      ['list of one', () => saver.list(latest, { limit: 1 }).next()],
      ['putWrites', (turn) => saver.putWrites(configOf(count - 1), [['step', 2]], `other ${turn}`)],
      ['put', (turn) => putAfter(saver, count + turn)],
    ]
    expect((await saver.getTuple(latest))?.checkpoint).toEqual(checkpointOf(count - 1))
    const found: [string, number][] = []
    for (const [name, call] of calls) found.push([name, await leastRequests(call)])
    return found
  }
  expect(await costs(10_000)).toEqual(await costs(10))
})

const putAfter = (saver: BaseCheckpointSaver, i: number) =>
  saver.put(configOf(i - 1), checkpointOf(i), metadata, { step: i + 1 })

/** The fewest requests of three calls: the housekeeping of an open client, whenever it comes, only adds some. */
async function leastRequests(call: (turn: number) => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 3; turn++) {
    const before = requests.read()
    await call(turn)
    least = Math.min(least, requests.read() - before)
  }
  return least
}
