import { type RangeRead, type RangeResult, recordCapacity } from '../../contract/backend.ts'
import { type PackedEntry, place } from '../packed-entry.ts'
import { fetchRecords } from './fetch-records.ts'
import type { KeyRanges } from './keys.ts'
import type { ReadRecord } from '../readable.ts'
import { restoreEntries } from './restore-entries.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link StorageBackend.readRange} in one transaction over `entries` and `bodies`. */
export function readRange(steps: ReadSteps<RangeResult>, ranges: KeyRanges, read: RangeRead): void {
  const { session, lane, from, to, limit = Number.POSITIVE_INFINITY } = read
  // Without a limit both directions give the same.
  const reverse = read.reverse === true && limit !== Number.POSITIVE_INFINITY
  const taken: ReadRecord[] = []
  let count = 0

  /** Takes records until there are enough entries. True when there were more than enough. */
  const take = (records: readonly ReadRecord[]): boolean => {
    for (const { key, entries, isDamaged } of records) {
      const inside = entriesBetween(entries, from, to)
      if (inside.length === 0 && !isDamaged) continue
      if (count >= limit) return true
      taken.push({ key, entries: inside, isDamaged })
      count += inside.length
    }
    return false
  }

  const finish = (more: boolean): void => {
    const inOrder = reverse ? taken.toReversed() : taken
    restoreEntries(steps, session, lane, inOrder, (entries, unreadable) => steps.answer({ entries, more, unreadable }))
  }

  const forward = (records: readonly ReadRecord[], next: string | undefined, size: number | undefined): void => {
    if (take(records)) finish(true)
    else if (next === undefined || count >= limit) finish(next !== undefined)
    else fetchRecords(steps, ranges.lane(session, lane, next, to), { count: grow(size) }, (more, after) => forward(more, after, grow(size)))
  }

  const backward = (upper: string, size: number): void => {
    fetchRecords(steps, ranges.lane(session, lane, '', upper), { count: size, reverse: true }, (records, next) => {
      if (take(records)) finish(true)
      else if (next === undefined || records.some(({ key }) => key <= from)) finish(false)
      else if (count >= limit && next >= from) finish(true)
      // What reaches into the range from before it must be looked at: only its entries tell.
      else backward(next, count >= limit ? 1 : (grow(size) ?? size))
    })
  }

  // A key range with its ends the wrong way round, or open and empty, is an error.
  if (from > to) {
    steps.answer({ entries: [], more: false, unreadable: [] })
    return
  }
  const pages = limit === Number.POSITIVE_INFINITY ? undefined : Math.max(1, Math.ceil(limit / recordCapacity))
  if (reverse) {
    // The last record is seldom full.
    backward(to, (pages ?? 0) + 1)
    return
  }
  let head: readonly ReadRecord[] | undefined = from === '' ? [] : undefined
  let rest: (() => void) | undefined
  // Asked for together. `from` may fall into a record that begins before it.
  if (from !== '') {
    fetchRecords(steps, ranges.lane(session, lane, '', from), { count: 1, reverse: true }, (records) => {
      head = records
      rest?.()
    })
  }
  const takeRest = (records: readonly ReadRecord[], next: string | undefined): void => {
    rest = () => forward([...(head ?? []), ...records], next, pages)
    if (head !== undefined) rest()
  }
  if (from === to) takeRest([], undefined)
  else fetchRecords(steps, ranges.lane(session, lane, from, to, 'from'), { count: pages }, takeRest)
}

/** Records may turn out to be small; reading twice as many each time keeps the round trips few. */
function grow(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.min(count * 2, 64)
}

function entriesBetween(entries: readonly PackedEntry[], from: string, to: string): readonly PackedEntry[] {
  const first = entries[0]?.[place.order]
  const last = entries.at(-1)?.[place.order]
  if (first === undefined || last === undefined || (first >= from && last <= to)) return entries
  return entries.filter(({ [place.order]: order }) => order >= from && order <= to)
}
