import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { lineOf } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import { readLine } from './session-reader.ts'

/** The last row that the head line's transcript shows, of one type or of any. A deleted session shows none. */
export async function readLast(
  backend: CoreBackend,
  rows: SessionRows,
  type?: string,
): Promise<StoredEntry | undefined> {
  if (rows.hot.version === 0 || rows.hot.deletedAt !== undefined) return undefined
  const line = lineOf(rows.cold, rows.hot.head)!
  for (let from: string = orderEnd, limit = 1; ; limit = 1024) {
    const page = await readLine(backend, rows, line, { view: 'transcript', direction: 'backward', from, limit })
    const found = page.rows.findLast((row) => type === undefined || row.type === type)
    if (found !== undefined || !page.more) return found
    from = page.rows[0]!.order
  }
}
