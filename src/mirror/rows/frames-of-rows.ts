import type { FoundFrame } from '../frame.ts'
import { readFrames } from '../read-frames.ts'
import { type MirroredRows, parseRows, parseRowsHead } from './rows-text.ts'
import type { ScannedRows } from './scan-rows.ts'

/** A file with rows. */
export interface RowsFile {
  readonly name: string
  readonly file: Blob
  readonly scanned: ScannedRows
}

/** A frame with rows. */
export interface FoundRows extends MirroredRows {
  readonly frame: FoundFrame
  /** Whether all of its commit, or of its snapshot, is there. Half a commit must never be restored. */
  readonly isComplete: boolean
}

/** The rows of databases in a file. @param isMeant - by the stamp; the others are not parsed */
export async function* readRows(
  { file, scanned }: RowsFile,
  epoch: string | readonly string[],
  isMeant: (stamp: number) => boolean = () => true,
): AsyncGenerator<FoundRows, void, undefined> {
  const meant = new Set(typeof epoch === 'string' ? [epoch] : epoch)
  const epochs = new Map([...scanned.epochs].filter(([one]) => meant.has(one)))
  // A file that changes meanwhile, as the caller's own, could not be read any more.
  if (epochs.size === 0) return
  for await (const frames of readFrames(file)) {
    for (const frame of frames) {
      const { head, body, from, to } = frame
      const start = head.kind === 'rows' ? parseRowsHead(body) : undefined
      const known = start && epochs.get(start.epoch)
      if (start === undefined || known === undefined || !isMeant(start.stamp)) continue
      const found = parseRows(body)
      if (found === undefined) continue
      const isComplete =
        found.previous === null
          ? known.snapshots.some((one) => one.stamp === found.stamp && one.from <= from && to <= one.to)
          : known.links.has(found.stamp)
      yield { ...found, frame, isComplete }
    }
  }
}
