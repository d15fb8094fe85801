import type { Reclaimable } from '../contract/reclaimable.ts'
import type { HotRow } from '../contract/rows.ts'

/** The space that could be freed in these sessions. */
export function reclaimableOf(rows: readonly HotRow[]): Reclaimable {
  const sum = (some: readonly HotRow[]): { sessions: number; bytes: number } => ({
    sessions: some.length,
    bytes: some.reduce((total, { bytes }) => total + bytes, 0),
  })
  const living = rows.filter(({ deletedAt }) => deletedAt === undefined)
  // An estimate from the share of hidden entries, because the bytes of single entries are not counted.
  const hidden = ({ bytes, entries, transcript }: HotRow): number =>
    entries === 0 ? 0 : bytes * Math.max(0, 1 - transcript.messages / entries)
  return {
    deleted: sum(rows.filter(({ deletedAt }) => deletedAt !== undefined)),
    archived: sum(living.filter(({ archived }) => archived === true)),
    hiddenBytes: Math.round(living.reduce((total, row) => total + hidden(row), 0)),
  }
}
