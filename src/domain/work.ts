import type { VersionVector } from '../contract/entry.ts'
import type { ColdRow, EditMark, HotRow, SessionRows } from '../contract/rows.ts'
import { writerKey } from './address.ts'
import type { BlockChange, ClosedBlock } from './block-change.ts'
import type { Line } from './line.ts'
import { lineOf } from './line.ts'
import type { SeenMark } from './seen-mark.ts'
import { joinVectors } from './version-vector.ts'

/**
 * The counts that can't be kept current from the entries alone: the store reads the named rows and calls
 * `settleReview`.
 */
export type ReviewNeed =
  /** Count the head line again (or only its context view), from the rows after this order. */
  | {
      readonly kind: 'scan'
      readonly after: string
      readonly contextOnly?: boolean
      /** Whether the rows newer than the head are counted already. */
      readonly knowsNewer?: boolean
    }
  /** The head moved to a branch of the line it was on: subtract the old line's rows after this order. */
  | { readonly kind: 'subtract'; readonly line: Line; readonly after: string }

/** A session's rows while entries arrive. The rows that it was made from are not changed. */
export interface Work {
  hot: { -readonly [Field in keyof HotRow]: HotRow[Field] } & { ahead: Record<string, number> }
  cold: ColdRow
  coldChanged: boolean
  /** The pending edits of the cold row, if they are a copy that may be changed. */
  pending: Record<string, EditMark> | undefined
  /** The head line. */
  line: Line
  review: ReviewNeed | undefined
  /** Blocks of sums that became full. */
  closed: ClosedBlock[]
  /** For each branch, the rows that came or were edited inside its lane, where a stored block may contain them. */
  readonly touched: Map<string, BlockChange[]>
  /** For each branch, the least order of a row that came before others of its lane, or may have. */
  readonly inserted: Map<string, string>
  /** The marks of what was seen at some places of lines. */
  seenMarks: SeenMark[]
}

export function beginWork(rows: SessionRows): Work {
  const { hot, cold } = rows
  return {
    hot: { ...hot, ahead: { ...hot.ahead } },
    cold,
    coldChanged: false,
    pending: undefined,
    line: lineOf(cold, hot.head)!,
    review: undefined,
    closed: [],
    touched: new Map(),
    inserted: new Map(),
    seenMarks: [],
  }
}

/** Everything that this device knows, which is what a new cut or checkpoint has seen. */
export function knownVector(rows: SessionRows | Work): VersionVector {
  return joinVectors(rows.cold.vv, rows.hot.ahead)
}

/** The next sequence number of a writer. */
export function nextSequence(rows: SessionRows | Work, w: number): number {
  const writer = writerKey(w)
  return Math.max(rows.cold.vv[writer] ?? 0, rows.hot.ahead[writer] ?? 0)
}

export function changeCold(work: Work, change: Partial<ColdRow>): void {
  work.cold = { ...work.cold, ...change }
  work.coldChanged = true
}

/** The pending edits, to be changed in place: they are copied once, however many come and go. */
export function ownPending(work: Work): Record<string, EditMark> {
  if (work.pending === undefined || work.pending !== work.cold.pending)
    changeCold(work, { pending: (work.pending = { ...work.cold.pending }) })
  return work.pending
}

/** Marks the whole head line to be counted again. @param knowsNewer - whether the rows newer than the head are known */
export function rescan(work: Work, knowsNewer = false): void {
  const { review } = work
  // Counts that an earlier change of the same plan made unknown stay unknown.
  const isOpen = review?.kind === 'scan' && review.after === '' && review.knowsNewer !== true
  work.review = { kind: 'scan', after: '', knowsNewer: knowsNewer && !isOpen }
  delete work.hot.tail
}
