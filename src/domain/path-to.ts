import type { CompactionRow } from '../contract/rows.ts'
import type { Message } from '../contract/message.ts'
import type { FoldedEntry, SessionFold } from './fold.ts'
import { lineAt, segmentOf } from './line.ts'
import { shownAmong } from './shown-among.ts'

/** The way from the start of a session to an entry. */
export interface EntryPath {
  /** Every entry on it, also what was cut or removed: model and thinking level are told by these. */
  readonly raw: readonly FoldedEntry[]
  /** Those that were neither cut before the end of the path nor removed. */
  readonly rows: readonly FoldedEntry[]
  /** The last compaction that stands on the path. */
  readonly compaction?: CompactionRow & { readonly at: number }
  /** The later of its summary and the session's, as far as that was set by then. */
  readonly summary: string
  /** What it put in front of the kept part. */
  readonly instead: readonly Message[]
  /** Whether that has a row's content in its summary. */
  isCompacted(row: FoldedEntry): boolean
}

/**
 * The path to an entry as pi sees it. Other than a line's context, it knows only compactions that stand on it: one that was made on the
 * parent line after the fork tells of messages that are not on the path.
 *
 * @param at - where the path ends; an order behind everything for the end of a branch
 */
export function pathTo({ cold, rows, compactedAt }: Pick<SessionFold, 'cold' | 'rows' | 'compactedAt'>, at: { readonly branch: string; readonly order: string }): EntryPath {
  const line = lineAt(cold, { branch: at.branch, order: at.order, cuts: at.order })
  if (line === undefined) return { raw: [], rows: [], summary: '', instead: [], isCompacted: () => false }
  const raw = rows.filter((row) => segmentOf(line, row) >= 0)
  const standing = cold.compactions.filter(({ clock, w, s, branch }) => segmentOf(line, { w, s, branch, order: clock }) >= 0)
  const compaction = standing.toSorted((a, b) => (a.clock < b.clock ? -1 : 1)).at(-1)
  const { compaction: _, ...uncompacted } = line
  const shown = shownAmong(compaction === undefined ? uncompacted : { ...line, compaction: { cut: compaction, covers: line.positions.get(compaction.branch) ?? -1 } }, raw)
  const [set, value] = cold.fields['summary'] ?? ['', '']
  const isSetLater = set > (compaction?.clock ?? '') && set <= at.order
  // Who cuts off the part that they stand for cuts them off too.
  const isCutOff = line.cuts.some(({ cut }) => compaction !== undefined && cut.clock > compaction.clock && cut.order >= compaction.order)
  const { messages } = compaction?.data ?? {}
  return {
    raw,
    rows: raw.map(shown).flatMap(({ transcript, row }) => (transcript ? [row] : [])),
    ...(compaction === undefined ? {} : { compaction: { ...compaction, at: compactedAt.get(compaction.id) ?? 0 } }),
    summary: isSetLater ? (typeof value === 'string' ? value : '') : (compaction?.summary ?? ''),
    instead: isMessageList(messages) && !isCutOff ? messages : [],
    isCompacted: (row) => !shown(row).context,
  }
}

/** Another device or a file may have written anything. */
function isMessageList(value: unknown): value is readonly Message[] {
  return Array.isArray(value) && value.every((message) => typeof (message as Partial<Message> | null)?.role === 'string')
}
