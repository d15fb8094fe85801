import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import { joinRanges, rangesOf, withoutRanges } from '../domain/version-vector.ts'
import { isObject } from '../formats/is-plain-object.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { indexFile, parseMirrorName } from './mirror-names.ts'
import type { MirroredErasure } from './mirrored-text.ts'
import { addRows, noRows, type RowsIndex } from './rows/rows-index.ts'
import type { ScannedFile, ScannedFrame } from './scan-file.ts'

/** A summary of the files of a mirror, so that a start need not read them all. It can be rebuilt from them. */
export interface MirrorIndex {
  /** Epoch of the database that the mirror was last compared with. */
  readonly epoch: string
  /** Files that the index covers. */
  readonly files: readonly string[]
  readonly sessions: Readonly<Record<string, IndexedSession>>
  /** Local numbers of sessions that were erased, by key. */
  readonly erased: Readonly<Record<string, readonly number[]>>
  readonly rows: RowsIndex
}

export interface IndexedSession {
  /** Addresses by local number of the session. */
  readonly entries: Readonly<Record<string, SequenceRanges>>
  /** Version of the session in the database when it was last compared with the mirror; 0 when it never was. */
  readonly version: number
}

const indexVersion = 2

/** The index of no file. */
export const emptyIndex = (epoch: string): MirrorIndex => ({ epoch, files: [], sessions: {}, erased: {}, rows: noRows })

/** @returns an empty index when there is none that can be used */
export async function readIndex(folder: MirrorFolder, epoch: string): Promise<MirrorIndex> {
  try {
    const found: unknown = JSON.parse((await (await folder.read(indexFile))?.text()) ?? 'null')
    return isObject(found) && found['version'] === indexVersion && found['epoch'] === epoch
      ? (found as unknown as MirrorIndex)
      : emptyIndex(epoch)
  } catch {
    return emptyIndex(epoch)
  }
}

export async function writeIndex(folder: MirrorFolder, index: MirrorIndex): Promise<void> {
  const file = await folder.open(indexFile)
  if (file === undefined) return
  const bytes = new TextEncoder().encode(JSON.stringify({ version: indexVersion, ...index }))
  try {
    file.truncate(0)
    file.write(bytes, { at: 0 })
    file.flush()
  } finally {
    file.close()
  }
}

/** Adds a file to the index. */
export function addFile(
  index: MirrorIndex,
  name: string,
  { sessions, rows }: Pick<ScannedFile, 'sessions' | 'rows'>,
): MirrorIndex {
  const all: Record<string, IndexedSession> = { ...index.sessions }
  for (const [key, { frames }] of sessions) {
    const entries: Record<string, SequenceRanges> = { ...all[key]?.entries }
    for (const session of new Set(frames.map((frame) => frame.session))) {
      const addresses = frames.flatMap((frame) => (frame.session === session ? frame.addresses : []))
      if (!isErased(index, key, session)) entries[session] = joinRanges(entries[session] ?? {}, rangesOf(addresses))
    }
    if (Object.keys(entries).length > 0) all[key] = { entries, version: 0 }
  }
  const { boot = '' } = parseMirrorName(name) ?? {}
  return { ...index, files: [...index.files, name], sessions: all, rows: addRows(index.rows, index.epoch, boot, rows) }
}

/** Removes sessions that were erased. */
export function addErasures(index: MirrorIndex, erasures: readonly MirroredErasure[]): MirrorIndex {
  const all: Record<string, IndexedSession> = { ...index.sessions }
  const erased: Record<string, readonly number[]> = { ...index.erased }
  for (const { key, sessions } of erasures) {
    erased[key] = [...new Set([...(erased[key] ?? []), ...sessions])]
    const left = Object.entries(all[key]?.entries ?? {}).filter(([session]) => !sessions.includes(Number(session)))
    if (left.length === 0) delete all[key]
    else all[key] = { entries: Object.fromEntries(left), version: 0 }
  }
  return { ...index, sessions: all, erased }
}

/** Removes the entries of a frame that was never stored. */
export function withoutFrame(
  index: MirrorIndex,
  key: string,
  { session, addresses }: Pick<ScannedFrame, 'session' | 'addresses'>,
): MirrorIndex {
  const known = index.sessions[key]
  if (known === undefined) return index
  const entries = { ...known.entries, [session]: withoutRanges(known.entries[session] ?? {}, rangesOf(addresses)) }
  return { ...index, sessions: { ...index.sessions, [key]: { ...known, entries } } }
}

export function isErased({ erased }: Pick<MirrorIndex, 'erased'>, key: string, session: number): boolean {
  return erased[key]?.includes(session) ?? false
}

/** All addresses that an index has of a session. */
export function rangesIn({ sessions }: MirrorIndex, key: string): SequenceRanges {
  return Object.values(sessions[key]?.entries ?? {}).reduce(joinRanges, {})
}

/** All addresses that a vector covers. */
export function rangesBelow(vector: VersionVector): SequenceRanges {
  return Object.fromEntries(Object.entries(vector).map(([writer, next]) => [writer, [[0, next]]]))
}
