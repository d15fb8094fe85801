import type { Clock, VersionVector } from '../contract/entry.ts'
import { clockStart, compareClocks, laterClock } from '../domain/clock.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { isKeyRecord } from './encryption/is-key-record.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import type { KeyMarks } from './index-codec.ts'
import { type IndexEntry, readIndexValue } from './index-entry.ts'

/** An element of the list that could be read. */
export interface IndexElement {
  readonly id: string
  readonly entry: IndexEntry
}

/** What the elements of the list amount to. */
export interface IndexSummary {
  /** What counts, by document id. */
  readonly entries: ReadonlyMap<string, IndexEntry>
  readonly marks: KeyMarks
  /** Positions of elements that no longer count. */
  readonly obsolete: readonly number[]
  /** The latest clock of all elements. */
  readonly clock: Clock
}

/** @param readOf - the element as it was decoded, or what is missing to decode it */
export function summarizeIndex(
  elements: readonly unknown[],
  readOf: (element: unknown) => IndexElement | KeyMissing | undefined,
): IndexSummary {
  const best = new Map<string, IndexElement>()
  const found: { readonly read: IndexElement; readonly at: number }[] = []
  const records = new Map<string, Uint8Array>()
  const obsolete: number[] = []
  let [sealed, plain] = [0, 0]
  let clock: Clock = clockStart
  elements.forEach((element, at) => {
    const read = readOf(element)
    if (read instanceof KeyMissing) return void (sealed += 1)
    if (read === undefined) {
      const record = isKeyRecord(element) ? element : undefined
      if (record !== undefined && records.has(record.join())) obsolete.push(at)
      else if (record !== undefined) records.set(record.join(), record)
      else if (isPlain(element)) plain += 1
      return
    }
    clock = laterClock(clock, read.entry)
    found.push({ read, at })
    const other = best.get(read.id)
    if (other === undefined || isLater(read, other)) best.set(read.id, read)
  })
  const purged = new Map<string, VersionVector>()
  // An element that records a purge stays while the latest one of the same life does not know of it, or the purge would
  // be taken back. A purge of an earlier life no longer means anything.
  for (const { read, at } of found) {
    const latest = best.get(read.id)!
    const own = read.entry.life === latest.entry.life ? (read.entry.purged ?? {}) : {}
    if (Object.keys(own).length > 0) purged.set(read.id, joinVectors(purged.get(read.id) ?? {}, own))
    if (read !== latest && includesVector(latest.entry.purged ?? {}, own)) obsolete.push(at)
  }
  const entries = new Map([...best].map(([id, { entry }]) => [id, withPurged(entry, purged.get(id))]))
  return { entries, marks: { records: [...records.values()], sealed, plain }, obsolete, clock }
}

/** Whether an element is a value in the clear, in a list where values are sealed. */
function isPlain(element: unknown): boolean {
  return Array.isArray(element) && element.length === 4 && readIndexValue(element[3]) !== undefined
}

/**
 * Adds everything that was purged of this life. A device that did not know of the purge published a hash of what is
 * gone.
 */
function withPurged(entry: IndexEntry, purged: VersionVector | undefined): IndexEntry {
  if (purged === undefined || includesVector(entry.purged ?? {}, purged)) return entry
  return { ...entry, purged, hash: '' }
}

function isLater(a: IndexElement, b: IndexElement): boolean {
  const lives = (a.entry.life ?? 0) - (b.entry.life ?? 0)
  if (lives !== 0) return lives > 0
  const difference = compareClocks(a.entry, b.entry)
  // Two devices may publish in the same tick: all devices must choose the same value.
  return difference > 0 || (difference === 0 && a.entry.hash > b.entry.hash)
}
