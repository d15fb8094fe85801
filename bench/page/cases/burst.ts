import type { SessionClient } from '../../../src/client/client-contract.ts'
import { dexie, file, ours, oursInPage, raw, rx, yIndexeddb } from '../../contender-names.ts'
import { count } from '../../count.ts'
import { openRxLog } from '../../rivals/rx-log.js'
import { openYLog } from '../../rivals/y-log.js'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { openOurs, openOursInPage } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
import { openFileLog } from '../file-log.ts'
import { messagesBetween } from '../messages.ts'
import { openRawLog } from '../raw-log.ts'
import { timed } from '../timed.ts'

/** Many appends issued without waiting, into a new session each time. */
export async function openBurst({ isQuick }: Effort): Promise<OpenCase> {
  const size = isQuick ? 1000 : 10_000
  const eachSize = size / 10
  const client = await openOurs()
  const inPage = await openOursInPage()
  const log = await openRawLog('bench-raw')
  const dexieLog = await openDexieLog('bench-dexie', 'relaxed')
  const fileLog = openFileLog()
  const rxLog = await openRxLog('bench-rx')
  const group = `${count(size)} messages`
  const messages = messagesBetween(0, size)

  const appendEach = async (client: SessionClient, key: string) => {
    const start = performance.now()
    const taken = await timed(() =>
      Promise.all(
        messages.map((message) => client.store.append(key, [{ type: 'message', message }], { durability: 'relaxed' })),
      ),
    )
    // A read waits until the database has what the journal has.
    await client.store.read(key, { last: 1 })
    return { ...taken, indexed: performance.now() - start }
  }
  const cells: Cell[] = [
    { group, contender: ours, run: (rep) => appendEach(client, `burst-${rep}`) },
    { group, contender: oursInPage, run: (rep) => appendEach(inPage, `burst-in-page-${rep}`) },
    {
      group,
      contender: `${raw}, one transaction`,
      run: (rep) => timed(() => log.appendAll(`burst-${rep}`, 0, messages, 'relaxed')),
    },
    {
      group,
      contender: `${dexie}, one put each`,
      run: async (rep) => {
        const { time, ...busy } = await timed(() =>
          Promise.all(messages.slice(0, eachSize).map((message, i) => dexieLog.put(`burst-each-${rep}`, i, message))),
        )
        return { time: (time * size) / eachSize, ...busy }
      },
    },
    {
      group,
      contender: `${dexie}, bulkPut`,
      run: (rep) => timed(() => dexieLog.bulkPut(`burst-bulk-${rep}`, 0, messages)),
    },
    {
      group,
      contender: `${file}, one message each`,
      run: (rep) =>
        timed(() => Promise.all(messages.map((message) => fileLog.append(`burst-${rep}`, message, 'relaxed')))),
    },
    { group, contender: `${rx}, bulkInsert`, run: (rep) => timed(() => rxLog.bulkInsert(`burst-${rep}`, 0, messages)) },
    {
      group,
      contender: `${yIndexeddb}, one update each`,
      run: async (rep) => {
        const yLog = await openYLog(`bench-y-burst-${rep}`)
        const { time, ...busy } = await timed(() => yLog.appendEach(messages.slice(0, eachSize)))
        await yLog.close()
        return { time: (time * size) / eachSize, ...busy }
      },
    },
  ]
  return {
    title: 'Burst of appends, none awaited before the last',
    notes: [
      'keepsession: `store.append` for each message, relaxed like the others. The first column is the time until all are stored.',
      `Dexie with one put each and y-indexeddb were measured with ${count(eachSize)} messages and scaled up.`,
      'Indexed: the database has all of it, and not only the journal.',
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
