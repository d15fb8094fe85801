import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import { covers, joinRanges, joinVectors, withoutRanges } from '../domain/version-vector.ts'
import { isObject } from '../formats/is-object.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { indexFile } from './mirror-names.ts'
import type { ScannedFile } from './scan-file.ts'

/** What the files of a mirror hold, so that they need not all be read at each start. It can be made again from them. */
export interface MirrorIndex {
  /** Of the database that the mirror was last held against. */
  readonly epoch: string
  /** Files that are in it. */
  readonly files: readonly string[]
  readonly sessions: Readonly<Record<string, IndexedSession>>
  /** Sessions that were erased, with what their writers had made by then. */
  readonly erased: Readonly<Record<string, VersionVector>>
}

export interface IndexedSession {
  readonly entries: SequenceRanges
  /** Version of the session in the database when it was last held against the mirror; 0 when it never was. */
  readonly version: number
}

const indexVersion = 1

/** @returns an empty index where there is none that can be used */
export async function readIndex(folder: MirrorFolder, epoch: string): Promise<MirrorIndex> {
  const empty = { epoch, files: [], sessions: {}, erased: {} }
  try {
    const found: unknown = JSON.parse((await (await folder.read(indexFile))?.text()) ?? 'null')
    return isObject(found) && found['version'] === indexVersion && found['epoch'] === epoch ? (found as unknown as MirrorIndex) : empty
  } catch {
    return empty
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

/** The index with one more file in it. */
export function addFile(index: MirrorIndex, name: string, { sessions, erased }: ScannedFile): MirrorIndex {
  const all: Record<string, IndexedSession> = { ...index.sessions }
  const gone: Record<string, VersionVector> = { ...index.erased }
  for (const [key, vv] of erased) gone[key] = joinVectors(gone[key] ?? {}, vv)
  for (const [key, { entries }] of sessions) all[key] = { entries: joinRanges(all[key]?.entries ?? {}, entries), version: 0 }
  for (const key of new Set([...sessions.keys(), ...erased.keys()])) {
    const left = withoutRanges(all[key]?.entries ?? {}, rangesBelow(gone[key] ?? {}))
    if (Object.keys(left).length === 0) delete all[key]
    else all[key] = { entries: left, version: 0 }
  }
  return { ...index, files: [...index.files, name], sessions: all, erased: gone }
}

/** Whether all of these entries were erased. */
export function isErased({ erased }: MirrorIndex, key: string, addresses: readonly { readonly w: number; readonly s: number }[]): boolean {
  const vv = erased[key]
  return vv !== undefined && addresses.every(({ w, s }) => covers(vv, w, s))
}

/** Everything that a vector counts. */
export function rangesBelow(vector: VersionVector): SequenceRanges {
  return Object.fromEntries(Object.entries(vector).map(([writer, next]) => [writer, [[0, next]]]))
}
