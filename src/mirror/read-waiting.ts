import type { RangeRead, RangeResult } from '../contract/backend.ts'
import type { OperationRow } from '../contract/operation-row.ts'
import type { HotRow, SessionRows, StoredEntry } from '../contract/rows.ts'
import { entryId } from '../domain/address.ts'
import { isPlannedOn } from '../storage/planned-version.ts'
import type { WaitingWrite } from './store-answered.ts'

/**
 * What reads show of a session while the database takes nothing of it, as on a full disk: what is stored, and what
 * waits on top of it, oldest first.
 */
export interface WaitingReads {
  /** Why the database takes nothing. */
  readonly error: unknown
  /** `undefined` when what waits does not continue the stored rows. */
  rows(stored: SessionRows | undefined): SessionRows | undefined
  range(read: RangeRead, stored: RangeResult): RangeResult
  byMid(mids: readonly string[], stored: readonly StoredEntry[]): readonly StoredEntry[]
  operation(id: string): OperationRow | undefined
}

export function readWaiting(waiting: readonly WaitingWrite[], error: unknown): WaitingReads {
  const writes = waiting.map(({ write }) => write)
  return {
    error,
    rows: (stored) => {
      // A part of them may be stored.
      const known = stored === undefined ? -1 : writes.findLastIndex(({ hot }) => isSame(hot, stored.hot))
      const left = writes.slice(known + 1)
      let base = stored?.hot
      for (const write of left) {
        if (!isPlannedOn(base, write)) return undefined
        base = write.hot
      }
      const hot = left.at(-1)?.hot ?? stored?.hot
      const cold = left.findLast((write) => write.cold !== undefined)?.cold ?? stored?.cold
      return hot && cold && { hot, cold }
    },
    range: ({ lane, from, to, reverse = false }, stored) => {
      const found = new Map(stored.entries.map((entry) => [entry.order, entry]))
      const [first, last] = [stored.entries[0]?.order ?? '', stored.entries.at(-1)?.order ?? '~']
      // What lies beyond a part that was read comes with the next part.
      const isInPart = (order: string): boolean =>
        order >= from && order <= to && (!stored.more || (reverse ? order >= first : order <= last))
      for (const { erase, append, insert } of writes) {
        for (const part of erase) if (part.lane === lane) for (const order of part.orders) found.delete(order)
        for (const part of [...append, ...insert])
          if (part.lane === lane)
            for (const entry of part.entries) if (isInPart(entry.order)) found.set(entry.order, entry)
      }
      const entries = [...found.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
      return { ...stored, entries }
    },
    byMid: (mids, stored) => {
      const asked = new Set<unknown>(mids)
      const known = new Set(stored.map(({ w, s }) => entryId(w, s)))
      const added = waiting.flatMap(({ answered }) =>
        answered.entries.filter(({ w, s, data }) => asked.has(data['mid']) && !known.has(entryId(w, s))),
      )
      return [...stored, ...added]
    },
    operation: (id) => {
      for (const { answered } of waiting) {
        const found = answered.operations.find((operation) => operation.id === id)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}

const isSame = (one: HotRow, other: HotRow): boolean => one.session === other.session && one.version === other.version
