import type { CollectionUsage } from '../../contract/store/collections.ts'
import type { FoundRow, RowsRead, RowsResult } from '../../contract/stored-row.ts'
import { readValues } from './read-keyed-values.ts'
import type { KeyRanges } from './record-keys.ts'
import type { ReadSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

const asRow = (value: unknown): FoundRow =>
  value === undefined || typeof value === 'object' ? (value as FoundRow) : null

/** A page ends early once its values have so many bytes. */
const pageBytes = 2 ** 24

/** How many rows of a page are read before anything is known of their size. */
const firstRows = 32

/** {@link CoreBackend.getRows}. */
export function getRows(steps: ReadSteps<readonly FoundRow[]>, collection: string, keys: readonly string[]): void {
  const found: FoundRow[] = []
  let waiting = keys.length
  if (waiting === 0) return steps.answer(found)
  keys.forEach((key, i) => {
    const take = (value: unknown): void => {
      found[i] = asRow(value)
      waiting--
      if (waiting === 0) steps.answer(found)
    }
    steps.attempt<unknown>(
      steps.store('rows').get([collection, key]),
      take,
      unlessLost(() => take(null)),
    )
  })
}

/** {@link CoreBackend.rangeRows}: finds the keys first, because a range can't be read from its end. */
export function rangeRows(steps: ReadSteps<RowsResult>, ranges: KeyRanges, read: RowsRead): void {
  const { collection, from, to, reverse, limit } = read
  const store = steps.store('rows')
  const range = ranges.rows(collection, from, to)
  const fetch = (keys: readonly string[], more: boolean): void => {
    const rows: { readonly key: string; readonly row: FoundRow }[] = []
    let bytes = 0
    const readNext = (count: number): void => {
      const part = keys.slice(rows.length, rows.length + count)
      const [low, high] = reverse ? [part.at(-1)!, part[0]!] : [part[0]!, part.at(-1)!]
      readValues(steps, 'rows', ranges.rowsBetween(collection, low, high), (found) => {
        for (const { key, value } of reverse ? [...found].reverse() : found) {
          const row = asRow(value ?? null)
          bytes += row?.size ?? 0
          rows.push({ key: (key as [string, string])[1], row })
        }
        const left = keys.length - rows.length
        if (left === 0 || bytes >= pageBytes) steps.answer({ rows, more: more || left > 0 })
        else readNext(Math.max(1, Math.floor(((pageBytes - bytes) * rows.length) / Math.max(bytes, 1))))
      })
    }
    readNext(firstRows)
  }
  const take = (keys: readonly string[]): void =>
    keys.length === 0 ? steps.answer({ rows: [], more: false }) : fetch(keys.slice(0, limit), keys.length > limit)
  if (!reverse) {
    steps.read(store.getAllKeys(range, limit + 1), (keys) => take((keys as [string, string][]).map(([, key]) => key)))
    return
  }
  const keys: string[] = []
  steps.read(store.openKeyCursor(range, 'prev'), (cursor) => {
    if (cursor !== null && keys.push((cursor.primaryKey as [string, string])[1]) <= limit) cursor.continue()
    else take(keys)
  })
}

/** {@link StorageBackend.listCollections}: an index has the sizes, so that no value is read. */
export function listCollections(steps: ReadSteps<readonly CollectionUsage[]>, ranges: KeyRanges): void {
  const store = steps.store('rows')
  const sums = new Map<string, { rows: number; bytes: number }>()
  const add = (): void =>
    steps.read(store.index('size').openKeyCursor(), (cursor) => {
      if (cursor === null) return steps.answer(Array.from(sums, ([name, sum]) => ({ name, ...sum })))
      const [name] = cursor.primaryKey as [string]
      const { rows, bytes } = sums.get(name) ?? { rows: 0, bytes: 0 }
      sums.set(name, { rows: rows + 1, bytes: bytes + Number(cursor.key) })
      cursor.continue()
    })
  // The names come from the keys, because the index does not have damaged rows.
  steps.read(store.openKeyCursor(ranges.allRows()), (cursor) => {
    if (cursor === null) return add()
    const [name] = cursor.primaryKey as [string]
    sums.set(name, { rows: 0, bytes: 0 })
    cursor.continue([name, []])
  })
}
