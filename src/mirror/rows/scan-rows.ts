import type { FoundFrame } from '../frame.ts'
import type { FramePlace } from '../mirror-writer.ts'
import { readFrames } from '../read-frames.ts'
import { parseMark, parseRowsHead, type RestoredMark, type RowsHead } from './rows-text.ts'

/** A snapshot of all collections, from its first frame to its last. Commits of the same worker may be in between. */
interface SnapshotPlace extends FramePlace {
  readonly stamp: number
}

/** What a file has of the rows of one database, which may be only parts of commits and snapshots: these are left out. */
export interface EpochRows {
  /** The stamp before, by the stamp of each commit. */
  readonly links: ReadonlyMap<number, number>
  readonly snapshots: readonly SnapshotPlace[]
}

export interface ScannedRows {
  readonly epochs: ReadonlyMap<string, EpochRows>
  readonly marks: readonly RestoredMark[]
}

/** Collects what a file has of rows, frame by frame. */
export interface RowsScan {
  take(frame: FoundFrame): void
  result(): ScannedRows
}

/** A commit or a snapshot of which not all parts were met yet. */
interface BegunParts extends Pick<RowsHead, 'epoch' | 'stamp' | 'part'> {
  readonly from: number
}

export function createRowsScan(): RowsScan {
  const epochs = new Map<string, { links: Map<number, number>; snapshots: SnapshotPlace[] }>()
  const marks: RestoredMark[] = []
  // A worker may store something while it writes a snapshot.
  const begun: { commit?: BegunParts | undefined; snapshot?: BegunParts | undefined } = {}

  return {
    take: ({ head: { kind }, body, from, to }) => {
      if (kind !== 'rows') return
      const head = parseRowsHead(body)
      if (head === undefined) {
        const mark = parseMark(body)
        if (mark !== undefined) marks.push(mark)
        return
      }
      const { epoch, stamp, previous, part, of } = head
      const found = epochs.get(epoch) ?? { links: new Map<number, number>(), snapshots: [] as SnapshotPlace[] }
      epochs.set(epoch, found)
      const which = previous === null ? 'snapshot' : 'commit'
      const before = begun[which]
      const isNext = before?.epoch === epoch && before.stamp === stamp && before.part === part - 1
      const start = part === 1 ? from : isNext ? before.from : undefined
      begun[which] = start === undefined ? undefined : { epoch, stamp, part, from: start }
      if (start === undefined || of !== part) return
      begun[which] = undefined
      if (previous === null) found.snapshots.push({ stamp, from: start, to })
      else found.links.set(stamp, previous)
    },
    result: () => ({ epochs, marks }),
  }
}

/** Reads the rows of a file, and nothing else of it. */
export async function scanRows(file: Blob): Promise<ScannedRows> {
  const scan = createRowsScan()
  for await (const frames of readFrames(file)) for (const frame of frames) scan.take(frame)
  return scan.result()
}
