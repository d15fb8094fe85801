import { type RangeRead, type RangeResult, recordCapacity } from '../../contract/backend.ts'
import { type PackedEntry, place } from '../packed-entry.ts'
import type { ReadRecord } from '../readable.ts'
import { fetchKeys, fetchLast, fetchRecord, fetchRecords } from './fetch-records.ts'
import type { KeyRanges } from './record-keys.ts'
import { restoreEntries } from './restore-entries.ts'
import type { ReadSteps } from './transaction.ts'
import { type KnownKeys, walkRecords } from './walk-records.ts'

/** {@link StorageBackend.readRange} in one transaction over `entries` and `bodies`. */
export function readRange(steps: ReadSteps<RangeResult>, ranges: KeyRanges, read: RangeRead): void {
  const { session, lane, from, to, reverse = false, limit } = read
  const taken: ReadRecord[] = []

  const take = ({ key, entries, isDamaged }: ReadRecord): number => {
    const inside = entriesBetween(entries, from, to)
    if (inside.length > 0 || isDamaged) taken.push({ key, entries: inside, isDamaged })
    return inside.length
  }
  const finish = (more: boolean): void => {
    const ascending = reverse && limit !== undefined ? taken.reverse() : taken
    restoreEntries(steps, session, lane, ascending, (entries, unreadable) =>
      steps.answer({ entries, more, unreadable }),
    )
  }
  const stopBefore = (next: string | undefined): void => {
    if (next === undefined || next >= from) finish(next !== undefined)
    // Only the entries show whether a record that starts before the range reaches into it.
    else
      fetchRecord(steps, [session, lane, next], ({ entries, isDamaged }) =>
        finish(isDamaged || entriesBetween(entries, from, to).length > 0),
      )
  }
  // The record that contains `from` starts before it.
  const head = from === '' ? undefined : ranges.lane(session, lane, '', from)
  const range = (after = from): IDBKeyRange | undefined =>
    after < to ? ranges.lane(session, lane, after, to, 'from') : undefined

  // IndexedDB throws for a key range whose ends are in the wrong order.
  if (from > to) steps.answer({ entries: [], more: false, unreadable: [] })
  else if (limit === undefined) {
    let first: readonly ReadRecord[] | undefined
    let others: readonly ReadRecord[] | undefined
    const join = (): void => {
      if (first === undefined || others === undefined) return
      for (const record of [...first, ...others]) take(record)
      finish(false)
    }
    // These are requested together.
    fetchLast(steps, head, (records) => {
      first = records
      join()
    })
    fetchRecords(steps, range, (records) => {
      others = records
      join()
    })
  } else if (reverse) {
    fetchTail(steps, ranges, read, (records, known) => {
      let count = 0
      for (const record of records) {
        if (count >= limit) {
          stopBefore(record.key)
          return
        }
        count += take(record)
      }
      const lowest = records.at(-1)?.key
      if (lowest !== undefined && lowest <= from) {
        finish(false)
        return
      }
      walkRecords(steps, {
        limit: limit - count,
        reverse,
        ...(known && { known }),
        range: (after = lowest) =>
          after === undefined ? ranges.lane(session, lane, '', to) : ranges.lane(session, lane, '', after, 'to'),
        isLast: (key) => key <= from,
        visit: take,
        end: stopBefore,
      })
    })
  } else {
    walkRecords(steps, {
      limit,
      reverse,
      ...(head === undefined ? {} : { head }),
      range,
      isLast: () => false,
      visit: take,
      end: (next) => finish(next !== undefined),
    })
  }
}

/**
 * Fetches small records, the one before them and the key of the next one in one round trip, from the end. Fetches
 * nothing when it is unknown where they start, or when they are certainly not enough.
 */
function fetchTail(
  steps: ReadSteps<never>,
  ranges: KeyRanges,
  { session, lane, from, to, small, limit = 0 }: RangeRead,
  use: (records: readonly ReadRecord[], known?: KnownKeys) => void,
): void {
  if (small === undefined || small <= from || (small > to && limit > 2 * recordCapacity)) {
    use([])
    return
  }
  let tail: readonly ReadRecord[] | undefined
  let before: readonly ReadRecord[] | undefined
  let known: KnownKeys | undefined
  const join = (): void => {
    if (tail !== undefined && before !== undefined && known !== undefined) use([...tail.toReversed(), ...before], known)
  }
  const rest = small > to ? ranges.lane(session, lane, '', to) : ranges.lane(session, lane, '', small, 'to')
  fetchLast(steps, rest, (records) => {
    before = records
    join()
  })
  fetchKeys(steps, rest, 2, true, (keys) => {
    known = { keys: keys.slice(1), areAll: keys.length < 2 }
    join()
  })
  fetchRecords(
    steps,
    (after) => {
      if (after !== undefined) return ranges.lane(session, lane, after, to, 'from')
      return small > to ? undefined : ranges.lane(session, lane, small, to)
    },
    (records) => {
      tail = records
      join()
    },
  )
}

function entriesBetween(entries: readonly PackedEntry[], from: string, to: string): readonly PackedEntry[] {
  const first = entries[0]?.[place.order]
  const last = entries.at(-1)?.[place.order]
  if (first === undefined || last === undefined || (first >= from && last <= to)) return entries
  return entries.filter(({ [place.order]: order }) => order >= from && order <= to)
}
