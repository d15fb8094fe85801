import type { LaneEntries, SessionWrite } from '../contract/backend.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { StoredEntry } from '../contract/rows.ts'
import { isPackedEntry, packEntry, unpackEntry } from '../storage/packed-entry.ts'

/** Entries of one session that were stored together. */
export interface MirroredEntries {
  readonly key: string
  readonly entries: readonly StoredEntry[]
}

/** A session that was erased, and what its writers had made by then. */
export interface MirroredErasure {
  readonly key: string
  readonly vv: VersionVector
}

/** About how many bytes of data go into one frame: a merge may bring more at once than memory should hold twice. */
const frameBytes = 2 ** 20

/** The texts of what a commit adds to a session. The edits that entries have cached come back by the entries that made them. */
export function* textsOfWrite({ hot, append, insert }: SessionWrite): Generator<string, void, undefined> {
  yield* textsOfEntries(hot.key, entriesOf(append, insert))
}

export function* textsOfEntries(key: string, entries: Iterable<StoredEntry>): Generator<string, void, undefined> {
  let packed: unknown[] = []
  let bytes = 0
  for (const entry of entries) {
    const { edit: _, ...bare } = entry
    packed.push(packEntry(bare))
    bytes += entry.bytes
    if (bytes < frameBytes) continue
    yield JSON.stringify([key, packed])
    packed = []
    bytes = 0
  }
  if (packed.length > 0) yield JSON.stringify([key, packed])
}

function* entriesOf(...lanes: readonly (readonly LaneEntries[])[]): Generator<StoredEntry, void, undefined> {
  for (const { entries } of lanes.flat()) yield* entries
}

export const erasureText = ({ key, vv }: MirroredErasure): string => JSON.stringify([key, vv])

/** @returns `undefined` for what is no such text */
export function parseEntries(text: string): MirroredEntries | undefined {
  const [key, packed] = parsePair(text)
  if (typeof key !== 'string' || !Array.isArray(packed)) return undefined
  const entries = packed.flatMap((one) => (isPackedEntry(one) ? (unpackEntry(one) ?? []) : []))
  return { key, entries }
}

/** @returns `undefined` for what is no such text */
export function parseErasure(text: string): MirroredErasure | undefined {
  const [key, vv] = parsePair(text)
  return typeof key === 'string' && typeof vv === 'object' && vv !== null ? { key, vv: vv as VersionVector } : undefined
}

function parsePair(text: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(text)
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
