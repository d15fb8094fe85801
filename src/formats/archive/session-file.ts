import { checkEntry } from '../../contract/check-entry.ts'
import type { Entry, SequenceRanges } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import { entryId, writerKey } from '../../domain/address.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { compareClocks } from '../../domain/clock.ts'
import { entryLimits } from '../../domain/entry-limits.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { entryProblem } from '../../domain/seal.ts'
import { createSha256 } from '../../domain/sha256.ts'
import { joinRanges, withoutRanges } from '../../domain/version-vector.ts'
import type { Breather } from '../../pacing/breather.ts'
import type { ByteSource } from '../byte-source.ts'
import { heldLimits } from '../create-size-guard.ts'
import { isObject } from '../is-plain-object.ts'
import { readLines } from '../jsonl-lines.ts'
import { archiveVersion, checkVersion } from './manifest.ts'

/** A session in an archive. */
export interface ArchivedLog {
  readonly key: string
  /**
   * Aliases that lead to it. (The entries contain all aliases that it lists, some of which may lead to other sessions.)
   */
  readonly aliases: readonly string[]
  /** Every raw entry, in the order of their clocks. */
  readonly entries: readonly Entry[]
}

/**
 * Sorts the entries of a session in the order of archives, which is the same for every store; each writer's entries are
 * in sequence.
 */
export function inClockOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted(compareEntries)
}

function compareEntries(a: Entry, b: Entry): number {
  return compareClocks(a.clock, b.clock) || a.w - b.w || a.s - b.s
}

/** The lines of a session's file: a header, then each entry in canonical JSON. */
export function* sessionLines({ key, aliases, entries }: ArchivedLog): Generator<string, void, undefined> {
  yield `${canonicalJson({ keepsession: 'session', version: archiveVersion, key, aliases, entries: entries.length })}\n`
  for (const entry of entries) yield `${canonicalJson(entry as unknown as JsonValue)}\n`
}

export interface CheckSessionOptions {
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  /** SHA-256 of the file, if it is in a manifest. */
  readonly sha256?: string
  /** Entries and bytes that are kept in memory during the check. Default: {@link heldLimits}. */
  readonly held?: typeof heldLimits
}

/** A session's file that was found complete and valid. */
export interface CheckedSession {
  readonly key: string
  readonly aliases: readonly string[]
  /** How many entries are missing before later ones of their writer without having been purged. */
  readonly missing: number
  /** Whether the session is deleted, by its last `delete` or `undelete` entry. */
  readonly isDeleted: boolean
  /** Its entries, in the order of their clocks; absent when they are too many for the memory. */
  readonly entries?: readonly Entry[]
}

/** The maximum size of a line in bytes: a line is a whole entry, which is larger than its message. */
const lineLimit = entryLimits.maxBytes

/**
 * The maximum number of entries that the writers of a session may have made, including missing ones: stores handle gaps
 * one by one.
 */
const sequenceLimit = 2 ** 24

/**
 * Reads and checks a whole session file before anything is stored. It stops at the first mistake, so that a small file
 * that unpacks to a huge one does no harm. A session that is too large for the memory is checked as well, and read
 * again by {@link entryBatches}.
 *
 * @throws InvalidInput, ChecksumMismatch, TooLarge with the mistake; VersionConflict; Aborted
 */
export async function checkSessionFile(
  bytes: ByteSource,
  { breathe, signal, sha256, held = heldLimits }: CheckSessionOptions,
): Promise<CheckedSession> {
  const hash = createSha256()
  let header: SessionHeader | undefined
  let entries: Entry[] | undefined = []
  let [count, size] = [0, 0]
  let before: Entry | undefined
  let isDeleted = false
  const made = new Map<number, number>()
  const gaps: Record<string, (readonly [number, number])[]> = {}
  let purged: SequenceRanges = {}

  function take(entry: Entry, line: number): void {
    const { w, s, type, data } = entry
    if (before !== undefined && compareEntries(before, entry) >= 0)
      throw new SessionError('InvalidInput', `line ${line} is out of order`)
    before = entry
    count += 1
    if (count > header!.entries)
      throw new SessionError('InvalidInput', `it has more entries than the ${header!.entries} in its header`)
    const next = made.get(w) ?? 0
    if (next < s) (gaps[writerKey(w)] ??= []).push([next, s])
    made.set(w, s + 1)
    if (type === 'purge') purged = joinRanges(purged, data['ranges'] as SequenceRanges)
    if (type === 'delete' || type === 'undelete') isDeleted = type === 'delete'
    if (entries === undefined) return
    if (count > held.entries || size > held.bytes) entries = undefined
    else entries.push(entry)
  }

  for await (const { lines, pendingBytes } of readLines(hashed(bytes, hash.update), signal, lineLimit)) {
    if (pendingBytes > lineLimit) throw new SessionError('TooLarge', `a line has over ${lineLimit / 1024 / 1024} MiB`)
    for (const { text, number, bytes: length, isTerminated, isTooLong } of lines) {
      if (isTooLong || !isTerminated)
        throw new SessionError('InvalidInput', `line ${number} is ${isTooLong ? 'too long' : 'incomplete'}`)
      size += length
      if (header === undefined) header = parseHeader(text)
      else take(parseEntry(text, number), number)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
  }
  if (header === undefined) throw new SessionError('InvalidInput', 'it is empty')
  if (count !== header.entries)
    throw new SessionError('InvalidInput', `it has only ${count} of the ${header.entries} entries in its header`)
  if ([...made.values()].reduce((sum, next) => sum + next, 0) > sequenceLimit)
    throw new SessionError('InvalidInput', 'the sequence numbers of its entries are too high')
  if (sha256 !== undefined && hash.hex() !== sha256)
    throw new SessionError('ChecksumMismatch', 'its checksum does not match the manifest')
  const missing = Object.values(withoutRanges(joinRanges({}, gaps), purged))
    .flat()
    .reduce((sum, [from, to]) => sum + to - from, 0)
  return { key: header.key, aliases: header.aliases, missing, isDeleted, ...(entries === undefined ? {} : { entries }) }
}

/** The maximum number of entries, and of their bytes, in a batch. */
const batch = { entries: 4096, bytes: 16 * 1024 * 1024 }

/**
 * Reads the entries of a checked file in batches that fit into memory. @throws Aborted, InvalidInput when it can't be
 * read any more
 */
export async function* entryBatches(
  bytes: ByteSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Entry[], void, undefined> {
  let entries: Entry[] = []
  let size = 0
  for await (const { lines } of readLines(bytes, signal, lineLimit)) {
    for (const { text, number, bytes: length } of lines) {
      if (number === 1) continue
      entries.push(parseEntry(text, number))
      size += length
      if (entries.length < batch.entries && size < batch.bytes) continue
      yield entries
      entries = []
      size = 0
    }
  }
  if (entries.length > 0) yield entries
}

interface SessionHeader {
  readonly key: string
  readonly aliases: readonly string[]
  readonly entries: number
}

/** Passes on bytes, and each piece of them to `update`. */
export async function* hashed(
  bytes: ByteSource,
  update: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes as AsyncIterable<Uint8Array>) {
    update(piece)
    yield piece
  }
}

function parseHeader(text: string): SessionHeader {
  const found = parseJson(text, 1)
  if (!isObject(found) || found['keepsession'] !== 'session')
    throw new SessionError('InvalidInput', 'its first line is not the header of a session')
  const { version, key, aliases, entries } = found
  checkVersion(version)
  const isRight =
    typeof key === 'string' &&
    Number.isSafeInteger(entries) &&
    Array.isArray(aliases) &&
    aliases.every((alias) => typeof alias === 'string')
  if (!isRight) throw new SessionError('InvalidInput', 'its header has no valid key, aliases and number of entries')
  return { key, aliases: aliases as string[], entries: entries as number }
}

function parseEntry(text: string, number: number): Entry {
  const { value } = normaliseJson(parseJson(text, number), { ...entryLimits, path: 'entry' })
  const problem = checkEntry(value)
  if (problem !== undefined)
    throw new SessionError('InvalidInput', `line ${number}: ${['entry', ...problem.path].join('.')} ${problem.reason}`)
  const entry = value as unknown as Entry
  const wrong = entryProblem(entry)
  if (wrong !== undefined)
    throw new SessionError('ChecksumMismatch', `entry ${entryId(entry.w, entry.s)} in line ${number}: ${wrong}`)
  return entry
}

/** @throws InvalidInput with the number of the line */
export function parseJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', `line ${number} is not JSON`)
  }
}
