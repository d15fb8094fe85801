import type { Entry } from '../contract/entry.ts'
import { importedMid } from './imported-mid.ts'

/** Whether some of these rows may be copies of each other (`shownAmong`). */
export function hasCopies(rows: readonly Entry[]): boolean {
  const mids = rows.flatMap((row) => importedMid(row) ?? [])
  return new Set(mids).size < mids.length
}
