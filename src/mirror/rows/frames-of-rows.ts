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

/** The rows of one database in a file. @param isMeant - by the stamp; the others are not parsed */
export async function* readRows(
  { file, scanned }: RowsFile,
  epoch: string,
  isMeant: (stamp: number) => boolean = () => true,
): AsyncGenerator<FoundRows, void, undefined> {
  const rows = scanned.epochs.get(epoch)
  // A file that changes meanwhile, as the caller's own, could not be read any more.
  if (rows === undefined) return
  const { links, snapshots } = rows
  for await (const frames of readFrames(file)) {
    for (const frame of frames) {
      const { head, body, from, to } = frame
      const start = head.kind === 'rows' ? parseRowsHead(body) : undefined
      if (start?.epoch !== epoch || !isMeant(start.stamp)) continue
      const found = parseRows(body)
      if (found === undefined) continue
      const isComplete =
        found.previous === null
          ? snapshots.some((one) => one.stamp === found.stamp && one.from <= from && to <= one.to)
          : links.has(found.stamp)
      yield { ...found, frame, isComplete }
    }
  }
}
