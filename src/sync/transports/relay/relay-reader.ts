import * as Y from 'yjs'
import { sameBytes } from '../../same-bytes.ts'
import { lacksOrigins } from './lacks-origins.ts'
import { type ClockRange, isWhole, type RelayFile, rangesOf } from './relay-file.ts'
import type { RelayStore } from './relay-store.ts'

export interface RelayReaderOptions {
  readonly doc: Y.Doc
  readonly store: RelayStore
  readonly device: string
  /** Paths of this device's own files that were written or read whole since the program began. */
  readonly sound: Set<string>
  /** Takes in an update. Resolves when that is done, whatever became of it. */
  readonly receive: (update: Uint8Array) => Promise<void>
  readonly isOver: () => boolean
}

/** Reads the files of a document that hold something new. */
export interface RelayReader {
  /** Reads those of these files (all that are listed) that can be processed now. */
  read(files: readonly RelayFile[]): Promise<void>
  /** This device has written a file. */
  addOwn(file: RelayFile): void
  /** What a file holds, if it was read. */
  rangesOf(path: string): readonly ClockRange[] | undefined
  /** What all files together hold. */
  held(): readonly ClockRange[]
  /** Reads refused files once more at the next look. */
  retryRefused(): void
}

export function createRelayReader({ doc, store, device, sound, receive, isOver }: RelayReaderOptions): RelayReader {
  const { known, tooEarly, refused, retryRefused, keepListed, noteReceived } = createFileNotes(doc)
  /** Reads one file, if that is useful now. @returns whether it was processed */
  const readFile = async (file: RelayFile): Promise<boolean> => {
    const ranges = file.ranges ?? tooEarly.get(file.path)
    if (ranges !== undefined && isHere(doc, ranges)) {
      // A damaged file does not count: its content is sent again.
      if (await isSound(file, { store, device, sound })) known.set(file.path, ranges)
      else tooEarly.delete(file.path)
      return false
    }
    if (ranges !== undefined && !isNext(doc, ranges)) {
      tooEarly.set(file.path, ranges)
      return false
    }
    const bytes = await store.get(file.path)
    // It is gone since it was listed, or not whole yet: the next look finds out.
    if (isOver() || bytes === undefined || !isWhole(file, bytes)) return false
    const held = rangesIn(bytes)
    if (!isNext(doc, held)) {
      tooEarly.set(file.path, held)
      return false
    }
    const before = Y.encodeStateVector(doc)
    await receive(bytes)
    noteReceived(file.path, bytes, held, before)
    return true
  }
  const readUnknown = async (file: RelayFile): Promise<boolean> => !known.has(file.path) && readFile(file)
  const readTogether = createGroupReader({ store, receive, isOver })

  return {
    read: async (files) => {
      keepListed(files)
      await readInOrder(files, readUnknown, isOver)
      await readTogether(files.filter(({ path }) => tooEarly.has(path) || refused.has(path)))
      await readInOrder(files, readUnknown, isOver)
    },
    addOwn: ({ path, ranges }) => void (known.set(path, ranges!), sound.add(path)),
    rangesOf: (path) => known.get(path),
    held: () => [...known.values(), ...tooEarly.values()].flat(),
    retryRefused,
  }
}

/** What is known of the files of a document. */
function createFileNotes(doc: Y.Doc) {
  /** Files that need not be read (again), by path. */
  const known = new Map<string, readonly ClockRange[]>()
  /** Files that have to wait for others, and what they hold. */
  const tooEarly = new Map<string, readonly ClockRange[]>()
  /** Files that were read, but whose content is not here. */
  const refused = new Set<string>()
  /** Those of them that have something beside elements of others that had not come yet. */
  const orphaned = new Set<string>()
  const retry = (paths: Set<string>): void => {
    for (const path of paths) {
      known.delete(path)
      refused.delete(path)
    }
    paths.clear()
  }
  return {
    known,
    tooEarly,
    refused,
    retryRefused: () => retry(refused),
    keepListed: (files: readonly RelayFile[]): void => {
      const listed = new Set(files.map(({ path }) => path))
      for (const kept of [known, tooEarly, refused, orphaned])
        for (const path of kept.keys()) if (!listed.has(path)) kept.delete(path)
    },
    /** @param before - the state vector before the content of the file was passed on */
    noteReceived: (path: string, bytes: Uint8Array, held: readonly ClockRange[], before: Uint8Array): void => {
      tooEarly.delete(path)
      // Nobody asks once more for what was left out when what it is beside has come.
      if (!sameBytes(before, Y.encodeStateVector(doc))) retry(orphaned)
      known.set(path, held)
      if (isHere(doc, held)) return
      // It was refused, or could not be stored: it is read once more on request.
      refused.add(path)
      if (lacksOrigins(doc, bytes)) orphaned.add(path)
    },
  }
}

/**
 * Files after a gap are refused until it is closed, so that the rest is tried again after each processed file.
 *
 * @param read - returns whether others may be processed now that it was
 */
async function readInOrder(
  files: readonly RelayFile[],
  read: (file: RelayFile) => Promise<boolean>,
  isOver: () => boolean,
): Promise<void> {
  const sorted = [...files].sort((a, b) => startOf(a) - startOf(b))
  for (let hasMore = true; hasMore && !isOver(); ) {
    hasMore = false
    for (const file of sorted) if (!isOver() && (await read(file))) hasMore = true
  }
}

/**
 * A deletion is accepted only together with the purge that made it, which may be in another file. So the files that are
 * left are tried as one, once for each group of them.
 */
function createGroupReader({
  store,
  receive,
  isOver,
}: Pick<RelayReaderOptions, 'store' | 'receive' | 'isOver'>): (left: readonly RelayFile[]) => Promise<void> {
  let tried = ''
  return async (left) => {
    const group = left.map(({ path }) => path).join('\n')
    if (left.length < 2 || group === tried || isOver()) return
    tried = group
    const joined = await joinFiles(left, store, isOver)
    if (!isOver()) await receive(joined)
  }
}

/** Whether a file is not one of this device that a crash has cut off: such a file has its name nevertheless. */
async function isSound(
  file: RelayFile,
  { store, device, sound }: Pick<RelayReaderOptions, 'store' | 'device' | 'sound'>,
): Promise<boolean> {
  if (file.device !== device || sound.has(file.path)) return true
  const bytes = await store.get(file.path)
  if (bytes === undefined || !isWhole(file, bytes)) return false
  sound.add(file.path)
  return true
}

const isHere = (doc: Y.Doc, ranges: readonly ClockRange[]): boolean =>
  ranges.every(([client, , to]) => Y.getState(doc.store, client) >= to)

/** Whether nothing is missing before it. */
const isNext = (doc: Y.Doc, ranges: readonly ClockRange[]): boolean =>
  ranges.every(([client, from]) => Y.getState(doc.store, client) >= from)

/** One update of what these files hold. */
async function joinFiles(files: readonly RelayFile[], store: RelayStore, isOver: () => boolean): Promise<Uint8Array> {
  const updates: Uint8Array[] = []
  for (const file of files) {
    if (isOver()) break
    const bytes = await store.get(file.path)
    if (bytes !== undefined && isWhole(file, bytes) && rangesIn(bytes).length > 0) updates.push(bytes)
  }
  return Y.mergeUpdates(updates)
}

const startOf = ({ ranges }: RelayFile): number =>
  (ranges ?? []).reduce((least, [, from]) => Math.min(least, from), Infinity)

/** Nothing if the bytes are not an update. They are passed on nevertheless, to be reported. */
function rangesIn(bytes: Uint8Array): readonly ClockRange[] {
  try {
    return rangesOf(bytes)
  } catch {
    return []
  }
}
