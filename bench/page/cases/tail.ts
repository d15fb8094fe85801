import type { SessionClient } from '../../../src/client/client-contract.ts'
import { dexie, file, ours, oursInPage, raw, rx } from '../../contender-names.ts'
import { count } from '../../count.ts'
import { openRxLog } from '../../rivals/rx-log.js'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { openOurs, openOursInPage, seedOurs } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
import { openFileLog } from '../file-log.ts'
import { openRawLog } from '../raw-log.ts'
import { seedPeers } from '../seed-peers.ts'
import { medianOf } from '../timed.ts'

const wanted = 50

/** What opening a conversation reads. */
export async function openTail({ isQuick }: Effort): Promise<OpenCase> {
  const client = await openOurs()
  const inPage = await openOursInPage()
  const log = await openRawLog('bench-raw')
  const dexieLog = await openDexieLog('bench-dexie', 'relaxed')
  const fileLog = openFileLog()
  const rxLog = await openRxLog('bench-rx')
  const cells: Cell[] = []
  for (const size of isQuick ? [100, 1000] : [100, 10_000, 100_000]) {
    const key = `session-${size}`
    await seedOurs(inPage, key, size)
    await seedPeers(key, size, { log, dexieLog, rxLog, fileLog })
    const add = (contender: string, read: () => Promise<{ readonly length: number }>): void => {
      cells.push({
        group: `${count(size)} stored`,
        contender,
        run: async () => ({ time: await medianOf(20, () => expectCount(read())) }),
      })
    }
    const last = async (client: SessionClient) => (await client.store.read(key, { last: wanted })).entries
    add(ours, () => last(client))
    add(oursInPage, () => last(inPage))
    add(raw, () => log.read(key, size - wanted, size))
    add(dexie, () => dexieLog.last(key, wanted))
    add(rx, () => rxLog.last(key, wanted))
    add(file, () => fileLog.last(key, wanted))
  }
  return {
    title: `Last ${wanted} messages of a session, warm`,
    notes: [
      'Median of 20 reads. Raw knows how many messages there are and asks for a key range; Dexie: `reverse().limit()`; RxDB: a query with `sort` and `limit`, which it keeps the result of; OPFS: the end of the file, back to the fiftieth line.',
    ],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
      await rxLog.close()
      for (const one of [log, dexieLog, fileLog]) one.close()
    },
  }
}

async function expectCount(reading: Promise<{ readonly length: number }>): Promise<void> {
  const { length } = await reading
  if (length !== wanted) throw new Error(`Expected ${wanted} messages, got ${length}.`)
}
