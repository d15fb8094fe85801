import { chunks } from './contenders.ts'
import type { DexieLog } from './dexie-log.ts'
import { messagesBetween } from './messages.ts'
import type { RawLog } from './raw-log.ts'
import type { RewriteLog } from './rewrite-log.ts'

export interface Peers {
  readonly log: RawLog
  readonly dexieLog: DexieLog
  readonly rewriteLog?: RewriteLog
}

/** Gives every peer a session of so many messages, unless it is there. */
export async function seedPeers(key: string, size: number, { log, dexieLog, rewriteLog }: Peers): Promise<void> {
  for (const [from, to] of chunks(0, size, 5000)) {
    if ((await log.read(key, to - 1, to)).length === 0)
      await log.appendAll(key, from, messagesBetween(from, to), 'relaxed')
  }
  const [newest] = await dexieLog.last(key, 1)
  const already = newest === undefined ? 0 : (newest as unknown as { readonly seq: number }).seq + 1
  for (const [from, to] of chunks(already, size, 5000)) await dexieLog.bulkPut(key, from, messagesBetween(from, to))
  await rewriteLog?.replace(key, messagesBetween(0, size))
}
