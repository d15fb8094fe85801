import type { SessionClient } from '../../../src/client/client-contract.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { dexie, openOurs, openOursInPage, ours, oursInPage, raw } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
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
  const group = `${count(size)} messages`
  const messages = messagesBetween(0, size)

  const appendEach = (client: SessionClient, key: string) =>
    timed(() =>
      Promise.all(
        messages.map((message) => client.store.append(key, [{ type: 'message', message }], { durability: 'relaxed' })),
      ),
    )
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
        return { ...busy, time: (time * size) / eachSize }
      },
    },
    {
      group,
      contender: `${dexie}, bulkPut`,
      run: (rep) => timed(() => dexieLog.bulkPut(`burst-bulk-${rep}`, 0, messages)),
    },
  ]
  return {
    title: 'Burst of appends, none awaited before the last',
    notes: [
      'keepsession: `store.append` for each message, relaxed like the others. The first column is the time until all are stored.',
      `Dexie with one put each was measured with ${count(eachSize)} messages and scaled up.`,
    ],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
      log.close()
      dexieLog.close()
    },
  }
}
