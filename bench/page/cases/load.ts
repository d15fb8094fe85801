import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Message } from '../../../src/contract/message.ts'
import { dexie, file, ours, oursInPage, raw, rewrite, rx, yIndexeddb } from '../../contender-names.ts'
import { count } from '../../count.ts'
import { openRxLog } from '../../rivals/rx-log.js'
import { openYLog } from '../../rivals/y-log.js'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { openOurs, openOursInPage, seedOurs } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
import { openFileLog } from '../file-log.ts'
import { messagesBetween } from '../messages.ts'
import { openRawLog } from '../raw-log.ts'
import { openRewriteLog } from '../rewrite-log.ts'
import { seedPeers } from '../seed-peers.ts'
import { timed } from '../timed.ts'

/** Everything a session holds, in the page's memory. */
export async function openLoad({ isQuick }: Effort): Promise<OpenCase> {
  const client = await openOurs()
  const inPage = await openOursInPage()
  const log = await openRawLog('bench-raw')
  const rewriteLog = await openRewriteLog('bench-rewrite')
  const dexieLog = await openDexieLog('bench-dexie', 'relaxed')
  const fileLog = openFileLog()
  const rxLog = await openRxLog('bench-rx')
  const cells: Cell[] = []
  for (const size of isQuick ? [1000] : [10_000, 100_000]) {
    const key = `session-${size}`
    await seedOurs(inPage, key, size)
    await seedPeers(key, size, { log, dexieLog, rewriteLog, rxLog, fileLog })
    const group = `${count(size)} messages`
    const addOurs = (contender: string, client: SessionClient): void => {
      cells.push({
        group,
        contender,
        run: async () => {
          const first = await firstPage(client, key)
          return { ...(await timed(() => loaded(client, key, size))), 'first page': first }
        },
      })
    }
    const add = (contender: string, read: () => Promise<{ readonly length: number }>): void => {
      const run = async () => {
        const taken = await timed(async () => expectCount(size, (await read()).length))
        return { ...taken, 'first page': taken.time }
      }
      cells.push({ group, contender, run })
    }
    addOurs(ours, client)
    addOurs(oursInPage, inPage)
    add(raw, () => log.read(key, 0, size))
    add(dexie, () => dexieLog.all(key))
    add(rewrite, () => rewriteLog.read(key))
    add(rx, () => rxLog.all(key))
    add(file, () => fileLog.all(key))
    // Its updates are merged when it has loaded them, so that it is asked for the smaller size only.
    if (size <= 10_000) {
      const name = `bench-y-${key}`
      await seedY(name, size)
      add(yIndexeddb, () => loadedY(name))
    }
  }
  return {
    title: 'Full load',
    notes: [
      'keepsession: `session.messages()`, which reads pages. The others give nothing before they have everything: one `getAll`, `toArray`, one `get`, one query, one file, one document.',
    ],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
      await rxLog.close()
      for (const one of [log, rewriteLog, dexieLog, fileLog]) one.close()
    },
  }
}

/** Until the first entry can be shown. */
async function firstPage(client: SessionClient, key: string): Promise<number> {
  const session = await client.session(key)
  const start = performance.now()
  for await (const _ of session) break
  return performance.now() - start
}

async function seedY(name: string, size: number): Promise<void> {
  const yLog = await openYLog(name)
  if (yLog.all().length === 0) await yLog.appendAll(messagesBetween(0, size))
  await yLog.close()
}

/** Its document is loaded anew. */
async function loadedY(name: string): Promise<readonly Message[]> {
  const yLog = await openYLog(name)
  const all = yLog.all()
  await yLog.close()
  return all
}

async function loaded(client: SessionClient, key: string, size: number): Promise<void> {
  const session = await client.session(key)
  expectCount(size, (await session.messages()).length)
}

function expectCount(expected: number, actual: number): void {
  if (actual < expected) throw new Error(`Expected ${expected} messages, got ${actual}.`)
}
