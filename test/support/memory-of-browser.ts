import { readFile } from 'node:fs/promises'
import type { CDPSession } from 'playwright-core'

/**
 * Bytes that each kind of a browser's processes has in memory, pages that processes share counted in part. `undefined`
 * where the system doesn't tell.
 */
export async function memoryOfBrowser(session: CDPSession): Promise<ReadonlyMap<string, number> | undefined> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const sums = new Map<string, number>()
  for (const { id, type } of processInfo) {
    const text = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => undefined)
    const kilobytes = Number(/^Pss:\s+(\d+) kB/m.exec(text ?? '')?.[1])
    if (Number.isFinite(kilobytes)) sums.set(type, (sums.get(type) ?? 0) + kilobytes * 1024)
  }
  return sums.size === 0 ? undefined : sums
}
