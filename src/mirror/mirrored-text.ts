import { controlLane } from '../contract/backend.ts'
import type { AnsweredWrite } from '../contract/journal.ts'
import type { HotRow, StoredEntry } from '../contract/rows.ts'
import type { LaneEntries, SessionWrite } from '../contract/write-batch.ts'
import { isPackedEntry, packEntry, unpackEntry } from '../storage/packed-entry.ts'
import type { ListText } from './add-frame.ts'
import { type PackedOperation, packOperation, unpackOperation } from './packed-operation.ts'

/** Entries of one session that were stored together. */
export interface MirroredEntries {
  readonly key: string
  /**
   * Its local number. It distinguishes the session from an erased one with the same key, because a second import has
   * the same addresses.
   */
  readonly session: number
  readonly entries: readonly StoredEntry[]
  /** Ids of the operations that made the entries. */
  readonly operations: readonly string[]
  /** Present when the caller was answered as soon as the frame was written: what makes the entries arrive elsewhere. */
  readonly answered?: Pick<AnsweredWrite, 'since' | 'operations'>
}

/** The erasure of a session. */
export interface MirroredErasure {
  readonly key: string
  /** Its local number, and those that it had in lost databases. */
  readonly sessions: readonly number[]
}

/**
 * The approximate number of bytes of data in one frame. A merge may add so many entries at once that memory should not
 * hold their texts as well.
 */
const frameBytes = 2 ** 20

/**
 * The texts of the entries that a commit adds to a session. Cached edits are left out: they are restored with their
 * `edit` entries.
 */
export function* textsOfWrite({
  hot,
  append,
  insert,
  operationIds,
}: SessionWrite): Generator<ListText, void, undefined> {
  yield* textsOfEntries(hot, entriesOf(append, insert), operationIds)
}

export function* textsOfEntries(
  { key, session }: Pick<HotRow, 'key' | 'session'>,
  entries: Iterable<StoredEntry>,
  operations: readonly string[] = [],
): Generator<ListText, void, undefined> {
  let part: StoredEntry[] = []
  let bytes = 0
  for (const { edit: _, ...bare } of entries) {
    part.push(bare)
    bytes += bare.bytes
    if (bytes < frameBytes) continue
    yield textOfPacked({ key, session, operations }, part)
    part = []
    bytes = 0
  }
  if (part.length > 0) yield textOfPacked({ key, session, operations }, part)
}

/** The text of a frame whose entries were answered as soon as it was written. */
export const textOfAnswered = ({ since, operations, ...write }: AnsweredWrite): ListText =>
  textOfPacked({ ...write, operations: [], answered: { since, operations } }, write.entries)

/** @returns `undefined` for any other text */
export function parseAnswered(text: string): AnsweredWrite | undefined {
  const found = parseEntries(text)
  return found?.answered && { ...found, ...found.answered }
}

/** The text of a frame with these entries. */
export function textOfPacked(
  { key, session, operations, answered }: Omit<MirroredEntries, 'entries'>,
  entries: readonly StoredEntry[],
): ListText {
  const more = answered && [answered.since, answered.operations.map((one) => packOperation(one, entries))]
  return {
    before: `[${JSON.stringify(key)},${session},[`,
    items: entries.map((entry) => JSON.stringify(packEntry(entry))),
    // An answered write says itself which operations made it.
    after: more === undefined ? `],${JSON.stringify(operations)}]` : `],0,${JSON.stringify(more)}]`,
  }
}

function* entriesOf(...lanes: readonly (readonly LaneEntries[])[]): Generator<StoredEntry, void, undefined> {
  // Lanes below hold sums and marks, which can be made again.
  for (const { lane, entries } of lanes.flat()) if (lane >= controlLane) yield* entries
}

export const erasureText = ({ key, sessions }: MirroredErasure): string => JSON.stringify([key, sessions])

/** @returns `undefined` for any other text */
export function parseEntries(text: string): MirroredEntries | undefined {
  const [key, session, packed, operations, answered] = parseList(text)
  if (typeof key !== 'string' || typeof session !== 'number' || !Array.isArray(packed)) return undefined
  // Operations name them by their places, whether they are whole or not.
  const places = packed.map((one) => (isPackedEntry(one) ? unpackEntry(one) : undefined))
  const entries = places.filter((entry) => entry !== undefined)
  if (!Array.isArray(answered))
    return { key, session, entries, operations: Array.isArray(operations) ? operations : [] }
  const [since, made] = answered as [number, readonly PackedOperation[]]
  const rows = made.flatMap((one) => unpackOperation(one, places) ?? [])
  return { key, session, entries, operations: rows.map(({ id }) => id), answered: { since, operations: rows } }
}

/** @returns `undefined` for any other text */
export function parseErasure(text: string): MirroredErasure | undefined {
  const [key, sessions] = parseList(text)
  return typeof key === 'string' && Array.isArray(sessions) ? { key, sessions: sessions as number[] } : undefined
}

function parseList(text: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(text)
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
