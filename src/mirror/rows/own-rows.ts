import { withText } from '../frame.ts'
import type { MirrorFolder } from '../mirror-folder.ts'
import type { FramePlace, RewrittenFrame } from '../mirror-writer.ts'
import { readFrame } from '../read-frames.ts'
import type { WorkerFile } from '../worker-file.ts'
import type { RowsPart } from './rows-of-commit.ts'
import { parseRows, type RestoredMark, rowId, textOfMark, textOfRows } from './rows-text.ts'

/** How many rows of the own file are remembered. What older ones say is erased once the worker has ended. */
const mostPlaces = 2 ** 15

/** The rows in a worker's own file. What later commits replaced or deleted is erased from it. */
export interface OwnRows {
  /** @returns what the answer to a commit must wait for; the end of a snapshot is on the disk by then */
  add(parts: readonly RowsPart[]): Promise<void> | undefined
  /** Notes that the rows of a lost database were restored. */
  mark(restored: Omit<RestoredMark, 'epoch'>): Promise<void> | undefined
  /** Erases what was replaced by now. The replacements must be on the disk. */
  eraseReplaced(): Promise<void>
}

export interface OwnRowsPlace {
  readonly folder: MirrorFolder
  readonly name: string
  /** Epoch of the database. */
  readonly epoch: string
  readonly file: WorkerFile
}

export function createOwnRows({ folder, name, epoch, file }: OwnRowsPlace): OwnRows {
  const places = new Map<string, FramePlace>()
  /** Rows that were replaced, by frame. */
  let replaced = new Map<FramePlace, Set<string>>()
  let erasing: Promise<void> = Promise.resolve()

  async function erase(frames: ReadonlyMap<FramePlace, ReadonlySet<string>>): Promise<void> {
    const held = file.writer() && (await folder.read(name))
    if (held === undefined) return
    const rewritten: RewrittenFrame[] = []
    for (const [place, ids] of frames) {
      const frame = await readFrame(held, place)
      const found = frame && parseRows(frame.body)
      if (found === undefined) continue
      const rows = found.rows.filter(([key]) => !ids.has(rowId(found.collection, key)))
      rewritten.push({ at: place.from, bytes: withText(frame!, textOfRows({ ...found, rows })) })
    }
    file.writer()?.rewrite(rewritten)
  }

  /** A write in the wrong moment makes the file unreadable for a reader that has it open already. */
  function eraseLater(frames: ReadonlyMap<FramePlace, ReadonlySet<string>>): void {
    for (const [place, ids] of frames) {
      const all = replaced.get(place) ?? new Set()
      replaced.set(place, all)
      for (const id of ids) all.add(id)
    }
    // What is left when the worker ends is erased at the next start.
    if (file.isOn()) file.flushSoon()
  }

  function note({ previous, collection, rows }: RowsPart, place: FramePlace): void {
    // A snapshot replaces nothing until its last part is there. The next start erases what it replaced.
    if (previous === null) return
    for (const [key, row] of rows) {
      const id = rowId(collection, key)
      const before = places.get(id)
      if (before !== undefined) {
        const ids = replaced.get(before) ?? new Set()
        replaced.set(before, ids.add(id))
      }
      // Map keeps the order of insertion, so that the first one is the one not written to for the longest time.
      places.delete(id)
      if (row) places.set(id, place)
    }
    for (const id of places.keys()) {
      if (places.size <= mostPlaces) break
      places.delete(id)
    }
  }

  const written = (): Promise<void> | undefined => (file.writer() === undefined ? file.opening : undefined)

  return {
    add: (parts) => {
      file.write((open) => {
        for (const part of parts) note(part, open.add('rows', textOfRows({ epoch, ...part })))
      })
      if (parts.some(({ previous, of }) => previous === null && of > 0)) file.flush()
      else file.flushSoon()
      return written()
    },
    mark: (restored) => {
      file.write((open) => void open.add('rows', textOfMark({ epoch, ...restored })))
      file.flush()
      return written()
    },
    eraseReplaced: () => {
      if (replaced.size > 0) {
        const frames = replaced
        replaced = new Map()
        erasing = erasing.then(() => erase(frames)).catch(() => eraseLater(frames))
      }
      return erasing
    },
  }
}
