import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { ColdRow, EditMark, HotRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { editKey, editMark } from '../../../domain/fold.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import { shownAmong } from '../../../domain/shown-among.ts'
import { lanePages } from '../reading/lane-pages.ts'
import type { Pace } from '../work-pace.ts'
import { beginRebuild, type RowsBuilder } from './rebuild-rows.ts'

/** Visits every entry of a session on the way. */
export interface LogVisitor {
  entry?(entry: StoredEntry, lane: number, isNew: boolean): void
  /** A row that is stored with another edit than the last one of the log, or may be. */
  otherEdit?(row: StoredEntry): void
  unreadable?(lane: number, record: string): void
}

/** The result of reading a log. */
export interface ReadLog {
  readonly rows: SessionRows
  readonly builder: RowsBuilder
}

/**
 * Rebuilds the rows of a session from its log, one page in memory at a time.
 *
 * @param isKnown - whether an entry counts; other entries arrived in the meantime
 */
export async function readLog(
  backend: CoreBackend,
  hot: HotRow,
  cold: ColdRow,
  pace: Pace,
  visitor: LogVisitor = {},
  isKnown: (entry: StoredEntry) => boolean = () => true,
): Promise<ReadLog> {
  const read = await walk(backend, hot, cold, pace, visitor, isKnown, cold.hasCopies === true)
  // All copies of a row together decide which of them is shown. Copies that were not known before are searched now.
  return read.builder.hasCopies() && cold.hasCopies !== true ? walk(backend, hot, cold, pace, {}, isKnown, true) : read
}

async function walk(
  backend: CoreBackend,
  hot: HotRow,
  cold: ColdRow,
  pace: Pace,
  visitor: LogVisitor,
  isKnown: (entry: StoredEntry) => boolean,
  hasCopies: boolean,
): Promise<ReadLog> {
  const builder = beginRebuild(hot, cold)
  const pagesOf = (lane: number): ReturnType<typeof lanePages> =>
    lanePages(backend, hot.session, lane, '', pace, (record) => visitor.unreadable?.(lane, record))
  for await (const page of pagesOf(controlLane)) {
    for (const entry of page) {
      if (!isKnown(entry)) continue
      const isNew = builder.control(entry)
      visitor.entry?.(entry, controlLane, isNew)
    }
  }
  const ofLine = builder.line().segments.map(({ branch }) => branch)
  const others = Object.keys(cold.lanes).filter((branch) => !ofLine.includes(branch))
  for (const branch of [...others, ...ofLine]) {
    const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
    if (lane === undefined) continue
    for await (const page of pagesOf(lane)) {
      const mids = hasCopies ? page.flatMap((row) => importedMid(row) ?? []) : []
      const shown =
        mids.length === 0 ? undefined : shownAmong(builder.line(), await backend.findByMid(hot.session, mids))
      for (const row of page) {
        if (!isKnown(row)) continue
        if (builder.hasOtherEdit(row)) visitor.otherEdit?.(row)
        const isNew = builder.row(row, shown)
        visitor.entry?.(row, lane, isNew)
      }
    }
  }
  return { rows: builder.finish(), builder }
}

/** The rows with the edits whose targets are missing. */
export async function withPending(backend: CoreBackend, { rows, builder }: ReadLog, pace: Pace): Promise<SessionRows> {
  const pending: Record<string, EditMark> = {}
  await eachEdit(backend, rows.hot.session, pace, (branch, order, mark) => {
    if (builder.isPending(branch, order)) pending[editKey(branch, order)] = mark
  })
  return { ...rows, cold: { ...rows.cold, pending } }
}

/** The edits of a session, ascending. The last one of several for one row counts. */
export async function eachEdit(
  backend: CoreBackend,
  session: number,
  pace: Pace,
  visit: (branch: string, order: string, mark: EditMark) => void,
): Promise<void> {
  for await (const page of lanePages(backend, session, controlLane, '', pace)) {
    for (const entry of page)
      if (entry.type === 'edit') visit(entry.data['branch'] as string, entry.data['order'] as string, editMark(entry))
  }
}
