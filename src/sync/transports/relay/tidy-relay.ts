import * as Y from 'yjs'
import { nextPiece } from '../update-piece.ts'
import { type ClockRange, isWhole, type RelayFile } from './relay-file.ts'
import type { RelayStore } from './relay-store.ts'

/**
 * How many small files are joined into one. Larger ones stay as they are, so that their content is not written again
 * and again.
 */
const mostSmall = 32
const small = 1024 * 1024

export interface TidyOptions {
  readonly doc: Y.Doc
  readonly store: RelayStore
  /** The files of this device, as listed. */
  readonly files: readonly RelayFile[]
  readonly put: (update: Uint8Array) => Promise<RelayFile>
}

/**
 * Joins this device's files when they are many. A file is removed only after another one that holds all of it and more
 * was listed and read back: so there is always a largest file that stays, even if two programs use the name of this
 * device.
 */
export async function tidyRelay({ doc, store, files, put }: TidyOptions): Promise<void> {
  if (store.remove === undefined) return
  const own = files.filter((file) => isHeldBy(doc, file))
  const held = own.filter((file) => own.some((other) => holdsMore(other, file)))
  const rest = own.filter((file) => file.size < small && !held.includes(file))
  if (rest.length < mostSmall) return
  for (const file of held) {
    const holder = own.find((other) => !held.includes(other) && holdsMore(other, file))
    const bytes = holder && (await store.get(holder.path))
    if (bytes !== undefined && isWhole(holder!, bytes)) await store.remove(file.path)
  }
  const joined = updateOf(
    doc,
    rest.flatMap(({ ranges }) => ranges!),
  )
  if (joined !== undefined) await put(joined)
}

/**
 * Removes what was erased from this device's files. The old files are removed at once, because that is the purpose of
 * erasing.
 */
export async function eraseInRelay({ doc, store, files, put }: TidyOptions): Promise<void> {
  if (store.remove === undefined) return
  for (const file of files) {
    const update = isHeldBy(doc, file) ? updateOf(doc, file.ranges!) : undefined
    if (update === undefined || isWhole(file, update)) continue
    const cleaned = await put(update)
    const bytes = await store.get(cleaned.path)
    if (bytes !== undefined && isWhole(cleaned, bytes)) await store.remove(file.path)
  }
}

const isHeldBy = (doc: Y.Doc, { ranges }: RelayFile): boolean =>
  ranges?.every(([client, , to]) => Y.getState(doc.store, client) >= to) === true

/** What the document holds of these ranges, and of what is between the ranges of one client. */
function updateOf(doc: Y.Doc, ranges: readonly ClockRange[]): Uint8Array | undefined {
  const from = new Map<number, number>()
  const until = new Map<number, number>()
  for (const [client, start, end] of ranges) {
    from.set(client, Math.min(start, from.get(client) ?? start))
    until.set(client, Math.max(end, until.get(client) ?? end))
  }
  return nextPiece(doc, from, Infinity, until)?.update
}

function holdsMore(file: RelayFile, other: RelayFile): boolean {
  const holds = (a: RelayFile, b: RelayFile): boolean =>
    b.ranges!.every(([client, from, to]) =>
      a.ranges!.some((range) => range[0] === client && range[1] <= from && range[2] >= to),
    )
  return file !== other && holds(file, other) && !holds(other, file)
}
