import type { SessionClient } from '../../../src/client/client-contract.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { dexie, openOurs, openOursInPage, ours, oursInPage, raw, rewrite, seedOurs } from '../contenders.ts'
import { openDexieLog } from '../dexie-log.ts'
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
  const cells: Cell[] = []
  for (const size of isQuick ? [1000] : [10_000, 100_000]) {
    const key = `session-${size}`
    await seedOurs(inPage, key, size)
    await seedPeers(key, size, { log, dexieLog, rewriteLog })
    const group = `${count(size)} messages`
    const addOurs = (contender: string, client: SessionClient): void => {
      cells.push({
        group,
        contender,
        run: async () => ({
          'first page': await firstPage(client, key),
          ...(await timed(() => loaded(client, key, size))),
        }),
      })
    }
    const add = (contender: string, read: () => Promise<{ readonly length: number }>): void => {
      const run = async () => {
        const taken = await timed(async () => expectCount(size, (await read()).length))
        return { 'first page': taken.time, ...taken }
      }
      cells.push({ group, contender, run })
    }
    addOurs(ours, client)
    addOurs(oursInPage, inPage)
    add(raw, () => log.read(key, 0, size))
    add(dexie, () => dexieLog.all(key))
    add(rewrite, () => rewriteLog.read(key))
  }
  return {
    title: 'Full load',
    notes: [
      'keepsession: `session.messages()`, which reads pages. The others give nothing before they have everything: one `getAll`, `toArray`, one `get`.',
    ],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
      for (const one of [log, rewriteLog, dexieLog]) one.close()
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

async function loaded(client: SessionClient, key: string, size: number): Promise<void> {
  const session = await client.session(key)
  expectCount(size, (await session.messages()).length)
}

function expectCount(expected: number, actual: number): void {
  if (actual < expected) throw new Error(`Expected ${expected} messages, got ${actual}.`)
}
