import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Durability } from '../../../src/contract/store/write-options.ts'
import { dexie, file, ours, oursInPage, raw, rewrite, rx, yIndexeddb } from '../../contender-names.ts'
import { count } from '../../count.ts'
import { openRxLog } from '../../rivals/rx-log.js'
import { openYLog } from '../../rivals/y-log.js'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { openOurs, openOursInPage, seedOurs } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
import { openFileLog } from '../file-log.ts'
import { messageAt, messagesBetween } from '../messages.ts'
import { openRawLog } from '../raw-log.ts'
import { openRewriteLog } from '../rewrite-log.ts'
import { medianOf } from '../timed.ts'

/** One message after the other, each awaited. */
export async function openAppend({ isQuick }: Effort): Promise<OpenCase> {
  const sizes = isQuick ? [100, 1000] : [100, 1000, 10_000, 100_000, 1_000_000]
  const client = await openOurs()
  const inPage = await openOursInPage()
  const log = await openRawLog('bench-raw')
  const rewriteLog = await openRewriteLog('bench-rewrite')
  const dexieLogs = {
    relaxed: await openDexieLog('bench-dexie', 'relaxed'),
    strict: await openDexieLog('bench-dexie', 'strict'),
  }
  const fileLog = openFileLog()
  const rxLog = await openRxLog('bench-rx')
  const yLog = await openYLog('bench-y-append')
  const perRep = 40
  const cells: Cell[] = []

  const add = (
    size: number,
    durability: Durability,
    contender: string,
    append: (at: number) => Promise<unknown>,
  ): void => {
    let at = size
    cells.push({
      group: `${count(size)} stored, ${durability}`,
      contender,
      run: async () => ({ time: await medianOf(perRep, () => append(at++)) }),
    })
  }
  const addOurs = (size: number, durability: Durability, contender: string, client: SessionClient, key: string): void =>
    add(size, durability, contender, (at) =>
      client.store.append(key, [{ type: 'message', message: messageAt(at) }], { durability }),
    )

  for (const size of sizes) {
    // A session of its own for each, so that none makes another's longer; the largest is the one that the other cases
    // read.
    const key = size === 100_000 ? `session-${size}` : `append-${size}`
    await seedOurs(inPage, key, size)
    addOurs(size, 'relaxed', ours, client, key)
    if (size <= 10_000) {
      const session = `rewrite-${size}`
      await rewriteLog.replace(session, messagesBetween(0, size))
      cells.push({
        group: `${count(size)} stored, relaxed`,
        contender: rewrite,
        run: async () => {
          const { length } = await rewriteLog.read(session)
          return { time: await medianOf(5, (i) => rewriteLog.append(messageAt(length + i), 'relaxed')) }
        },
      })
    }
  }
  await log.appendAll('append-1000', 0, messagesBetween(0, 1000), 'relaxed')
  await dexieLogs.relaxed.bulkPut('append-1000', 0, messagesBetween(0, 1000))
  for (const durability of ['relaxed', 'strict'] as const) {
    add(1000, durability, raw, (at) => log.append('append-1000', at, messageAt(at), durability))
    add(1000, durability, dexie, (at) => dexieLogs[durability].append('append-1000', at, messageAt(at)))
    await seedOurs(inPage, `append-in-page-${durability}`, 1000)
    addOurs(1000, durability, oursInPage, inPage, `append-in-page-${durability}`)
  }
  await seedOurs(inPage, 'append-strict', 1000)
  addOurs(1000, 'strict', ours, client, 'append-strict')
  for (const durability of ['relaxed', 'strict'] as const) {
    const session = `append-${durability}`
    await fileLog.appendAll(session, messagesBetween(0, 1000))
    add(1000, durability, file, (at) => fileLog.append(session, messageAt(at), durability))
  }
  await rxLog.bulkInsert('append-1000', 0, messagesBetween(0, 1000))
  add(1000, 'relaxed', rx, (at) => rxLog.append('append-1000', at, messageAt(at)))
  await yLog.appendAll(messagesBetween(0, 1000))
  add(1000, 'relaxed', yIndexeddb, (at) => yLog.append(messageAt(at)))

  return {
    title: 'Awaited append',
    notes: [
      `Median of ${perRep} appends, each awaited (5 for the rewritten object). Raw and Dexie write a row and the session's meta in one transaction, RxDB and y-indexeddb a document and an update without a meta, and OPFS a line of a file through a worker.`,
      'Relaxed and strict are asked of all contenders that can be asked; how they compare with each other depends on the disk. OPFS is asked for a flush, after which Chromium can still lose the file itself when the power fails.',
    ],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
      await rxLog.close()
      await yLog.close()
      for (const one of [log, rewriteLog, fileLog, dexieLogs.relaxed, dexieLogs.strict]) one.close()
    },
  }
}
