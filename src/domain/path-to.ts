import type { Message } from '../contract/message.ts'
import type { CompactionRow } from '../contract/rows.ts'
import type { FoldedEntry, SessionFold } from './fold.ts'
import { isCleared, lineAt, segmentOf } from './line.ts'
import { joinInSteps } from './shown-among.ts'
import type { Steps } from './steps.ts'
import { atOnce, overEach } from './steps.ts'
import { isMessageList, isReplacementCut, summaryOf } from './summary.ts'

/** The path from the start of a session to an entry. */
export interface EntryPath {
  /** Every entry on it, including cut and removed ones, because these may set the model and the thinking level. */
  readonly raw: readonly FoldedEntry[]
  /** The entries that were neither cut before the end of the path nor removed. */
  readonly rows: readonly FoldedEntry[]
  /** The last compaction on the path. */
  readonly compaction?: CompactionRow & { readonly at: number }
  /** The later one of its summary and the session's, as far as that was set by then. */
  readonly summary: string
  /** The messages that it put in front of the kept part. */
  readonly instead: readonly Message[]
  /** Whether its summary has the content of a row. */
  isCompacted(row: FoldedEntry): boolean
}

type PathSource = Pick<SessionFold, 'cold' | 'rows' | 'compactedAt'>

interface PathEnd {
  readonly branch: string
  readonly order: string
}

/**
 * The path to an entry as pi sees it. Unlike a line's context, it considers only compactions on the path: one that was
 * made on the parent line after the fork summarises messages that are not on the path.
 *
 * @param at - the end of the path; an order after everything for the end of a branch
 */
export function pathTo(fold: PathSource, at: PathEnd): EntryPath {
  return atOnce(pathInSteps(fold, at))
}

/** The same in steps, for paths that would keep a page busy. */
export function* pathInSteps({ cold, rows, compactedAt }: PathSource, at: PathEnd): Steps<EntryPath> {
  const line = lineAt(cold, { branch: at.branch, order: at.order, cuts: at.order })
  if (line === undefined) return { raw: [], rows: [], summary: '', instead: [], isCompacted: () => false }
  const raw: FoldedEntry[] = []
  yield* overEach(rows, (row) => {
    if (segmentOf(line, row) >= 0) raw.push(row)
  })
  const compactions = cold.compactions.filter(
    (row) => segmentOf(line, { ...row, order: row.clock }) >= 0 && !isCleared(line, row),
  )
  const compaction = compactions.toSorted((a, b) => (a.clock < b.clock ? -1 : 1)).at(-1)
  const { compaction: _, ...uncompacted } = line
  const path =
    compaction === undefined
      ? uncompacted
      : { ...line, compaction: { cut: compaction, covers: line.positions.get(compaction.branch) ?? -1 } }
  const shown = yield* joinInSteps(path, raw)
  const isSetByThen = (cold.fields['summary']?.[0] ?? '') <= at.order
  const left: FoldedEntry[] = []
  yield* overEach(raw, (one) => {
    const { transcript, row } = shown(one)
    if (transcript) left.push(row)
  })
  const { messages } = compaction?.data ?? {}
  return {
    raw,
    rows: left,
    ...(compaction === undefined ? {} : { compaction: { ...compaction, at: compactedAt.get(compaction.id) ?? 0 } }),
    summary: summaryOf(isSetByThen ? cold : { fields: {} }, path),
    instead: compaction !== undefined && isMessageList(messages) && !isReplacementCut(path, compaction) ? messages : [],
    isCompacted: (row) => !shown(row).context,
  }
}
