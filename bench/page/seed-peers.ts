import type { RxLog } from '../rivals/rx-log.js'
import { chunks } from './contenders.ts'
import type { DexieLog } from './dexie-log.ts'
import type { FileLog } from './file-log.ts'
import { messagesBetween } from './messages.ts'
import type { RawLog } from './raw-log.ts'
import type { RewriteLog } from './rewrite-log.ts'

export interface Peers {
  readonly log: RawLog
  readonly dexieLog: DexieLog
  readonly rewriteLog?: RewriteLog
  readonly rxLog: RxLog
  readonly fileLog: FileLog
}

/** Gives every peer a session of so many messages, unless it is there. */
export async function seedPeers(key: string, size: number, peers: Peers): Promise<void> {
  const { log, dexieLog, rewriteLog, rxLog, fileLog } = peers
  for (const [from, to] of chunks(0, size, 5000)) {
    if ((await log.read(key, to - 1, to)).length === 0)
      await log.appendAll(key, from, messagesBetween(from, to), 'relaxed')
  }
  const [newest] = await dexieLog.last(key, 1)
  const already = newest === undefined ? 0 : (newest as unknown as { readonly seq: number }).seq + 1
  for (const [from, to] of chunks(already, size, 5000)) await dexieLog.bulkPut(key, from, messagesBetween(from, to))
  for (const [from, to] of chunks(await rxLog.count(key), size, 1000))
    await rxLog.bulkInsert(key, from, messagesBetween(from, to))
  if ((await fileLog.last(key, 1)).length === 0)
    for (const [from, to] of chunks(0, size, 5000)) await fileLog.appendAll(key, messagesBetween(from, to))
  await rewriteLog?.replace(key, messagesBetween(0, size))
}
