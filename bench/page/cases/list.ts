import type { SessionClient } from '../../../src/client/client-contract.ts'
import { openDirectStore } from '../../../src/direct.ts'
import { openSessionStore } from '../../../src/index.ts'
import { dexie, ours, oursInPage, raw } from '../../contender-names.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { chunks } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
import { messageAt } from '../messages.ts'
import { peerMeta } from '../peer-meta.ts'
import { openRawLog } from '../raw-log.ts'
import { medianOf } from '../timed.ts'

const name = 'bench-list'
const pageSize = 50

/** The list of sessions, newest first. */
export async function openList({ isQuick }: Effort): Promise<OpenCase> {
  const size = isQuick ? 500 : 10_000
  const inPage = await openDirectStore({ name, modes: ['in-page'], timeoutMs: 20_000 })
  for (const [from, to] of chunks((await inPage.listSessions({ limit: 1 })).total, size, 500)) {
    const one = async (i: number) => {
      await inPage.store.append(`session-${i}`, [{ type: 'message', message: messageAt(i * 2) }], {
        durability: 'relaxed',
      })
      await inPage.store.updateMeta(`session-${i}`, { title: `Conversation ${i}` }, { durability: 'relaxed' })
    }
    await Promise.all(Array.from({ length: to - from }, (_, i) => one(from + i)))
  }
  // Opened afterwards, so that it has nothing in memory but what it read itself.
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 20_000 })
  const log = await openRawLog('bench-list-raw')
  const dexieLog = await openDexieLog('bench-list-dexie', 'relaxed')
  const metas = Array.from({ length: size }, (_, i) =>
    peerMeta(`session-${i}`, 2 + (i % 40), 1_700_000_000_000 + ((i * 7919) % size) * 1000),
  )
  await log.putMetas(metas)
  await dexieLog.putMetas(metas)

  const cells: Cell[] = []
  const add = (
    group: string,
    wanted: number,
    contender: string,
    read: () => Promise<{ readonly length: number }>,
    times: number,
  ): void => {
    const once = async (): Promise<void> => {
      const { length } = await read()
      if (length < wanted) throw new Error(`Expected ${wanted} sessions, got ${length}.`)
    }
    cells.push({ group, contender, run: async () => ({ time: await medianOf(times, once) }) })
  }
  const pageOf = async (client: SessionClient, limit: number) => (await client.listSessions({ limit })).sessions
  const first = `first ${pageSize} of ${count(size)}`
  const whole = `all ${count(size)}`
  for (const [contender, measured] of [
    [ours, client],
    [oursInPage, inPage],
  ] as const) {
    add(first, pageSize, contender, () => pageOf(measured, pageSize), 10)
    add(whole, size, contender, () => pageOf(measured, size), 1)
  }
  add(first, pageSize, `${raw}, getAll and sort`, async () => (await log.newestMetas()).slice(0, pageSize), 3)
  add(whole, size, `${raw}, getAll and sort`, () => log.newestMetas(), 1)
  add(first, pageSize, dexie, () => dexieLog.newestMetas(pageSize), 10)
  add(whole, size, dexie, () => dexieLog.newestMetas(), 1)
  return {
    title: 'List of sessions, newest first',
    notes: ['Raw and Dexie keep a small meta row for each session; Dexie reads it by an index.'],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
      log.close()
      dexieLog.close()
    },
  }
}
