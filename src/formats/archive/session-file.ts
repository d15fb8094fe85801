import { checkEntry } from '../../contract/check-entry.ts'
import type { Entry } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import { entryId } from '../../domain/address.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { compareClocks } from '../../domain/clock.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { entryProblem } from '../../domain/seal.ts'
import { createSha256 } from '../../domain/sha256.ts'
import type { Breather } from '../../pacing/breather.ts'
import type { ByteSource } from '../byte-source.ts'
import { isObject } from '../is-object.ts'
import { lineLimit, readLines } from '../jsonl-lines.ts'
import { archiveVersion, checkVersion } from './manifest.ts'

/** A session as an archive keeps it. */
export interface ArchivedLog {
  readonly key: string
  /** Aliases that lead to it. (The entries say which ones it lists, which may belong to others.) */
  readonly aliases: readonly string[]
  /** Every raw entry, in the order of their clocks. */
  readonly entries: readonly Entry[]
}

/** Entries of a session in the one order that every store gives them in an archive; each writer's come in sequence. */
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

export interface ReadSessionOptions {
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  /** SHA-256 of the file, where a manifest says it. */
  readonly sha256?: string
}

/** Entries that the writers of a session can have made in all, those included that are gone: stores go through the gaps one by one. */
const sequenceLimit = 2 ** 24

/** Bytes of a file that is read: what a session of that many has to be held in memory once. */
const fileLimit = 1024 * 1024 * 1024

/**
 * Reads and checks a session's file: all of it, or none. Stops at the first thing that is wrong, so that what merely unpacks to much costs
 * nothing.
 *
 * @throws InvalidInput, ChecksumMismatch, TooLarge with what is wrong; VersionConflict; Aborted
 */
export async function readSessionFile(bytes: ByteSource, { breathe, signal, sha256 }: ReadSessionOptions): Promise<ArchivedLog> {
  const hash = createSha256()
  let header: { readonly key: string; readonly aliases: readonly string[]; readonly entries: number } | undefined
  const entries: Entry[] = []
  for await (const { lines, readBytes, pendingBytes } of readLines(hashed(bytes, hash.update), signal)) {
    if (readBytes > fileLimit) throw new SessionError('TooLarge', `it has over ${fileLimit / 1024 / 1024} MiB`)
    if (pendingBytes > lineLimit) throw new SessionError('TooLarge', `a line has over ${lineLimit / 1024 / 1024} MiB`)
    for (const { text, number, isTerminated, isTooLong } of lines) {
      if (isTooLong || !isTerminated) throw new SessionError('InvalidInput', `line ${number} is ${isTooLong ? 'too long' : 'torn'}`)
      if (header === undefined) header = parseHeader(text)
      else {
        const entry = parseEntry(text, number)
        const before = entries.at(-1)
        if (before !== undefined && compareEntries(before, entry) >= 0) throw new SessionError('InvalidInput', `line ${number} stands out of order`)
        entries.push(entry)
        if (entries.length > header.entries) throw new SessionError('InvalidInput', `it has more than the ${header.entries} entries it says`)
      }
      const pause = breathe()
      if (pause !== undefined) await pause
    }
  }
  if (header === undefined) throw new SessionError('InvalidInput', 'it is empty')
  if (entries.length !== header.entries) throw new SessionError('InvalidInput', `it has ${entries.length} of the ${header.entries} entries it says`)
  const made = new Map(entries.map(({ w, s }) => [w, s + 1]))
  if ([...made.values()].reduce((sum, next) => sum + next, 0) > sequenceLimit) throw new SessionError('InvalidInput', 'its entries are numbered higher than any session can have come')
  if (sha256 !== undefined && hash.hex() !== sha256) throw new SessionError('ChecksumMismatch', 'its checksum is not the one in the manifest')
  return { key: header.key, aliases: header.aliases, entries }
}

async function* hashed(bytes: ByteSource, update: (piece: Uint8Array) => void): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes as AsyncIterable<Uint8Array>) {
    update(piece)
    yield piece
  }
}

function parseHeader(text: string): { readonly key: string; readonly aliases: readonly string[]; readonly entries: number } {
  const found = parseJson(text, 1)
  if (!isObject(found) || found['keepsession'] !== 'session') throw new SessionError('InvalidInput', 'its first line is no header of a session')
  const { version, key, aliases, entries } = found
  checkVersion(version)
  const isRight = typeof key === 'string' && Number.isSafeInteger(entries) && Array.isArray(aliases) && aliases.every((alias) => typeof alias === 'string')
  if (!isRight) throw new SessionError('InvalidInput', 'its header does not say its key, aliases and entries')
  return { key, aliases: aliases as string[], entries: entries as number }
}

function parseEntry(text: string, number: number): Entry {
  const { value } = normaliseJson(parseJson(text, number), { path: 'entry' })
  const problem = checkEntry(value)
  if (problem !== undefined) throw new SessionError('InvalidInput', `line ${number}: ${['entry', ...problem.path].join('.')} ${problem.reason}`)
  const entry = value as unknown as Entry
  const wrong = entryProblem(entry)
  if (wrong !== undefined) throw new SessionError('ChecksumMismatch', `entry ${entryId(entry.w, entry.s)} in line ${number}: ${wrong}`)
  return entry
}

function parseJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', `line ${number} is not JSON`)
  }
}
