import type { SequenceRanges } from '../../contract/entry.ts'
import type { CoreBackend } from '../../contract/backend.ts'
import { controlLane } from '../../contract/backend.ts'
import type { HotRow, SessionRows, StoredEntry } from '../../contract/rows.ts'
import type { VerifyProblem } from '../../contract/store.ts'
import { entryId } from '../../domain/address.ts'
import { arrive, beginWork } from '../../domain/arrive.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { isControl } from '../../domain/control.ts'
import { hasCopies } from '../../domain/has-copies.ts'
import { soundFields } from './sound-fields.ts'
import { editKey, foldEntries } from '../../domain/fold.ts'
import { settleReview } from '../../domain/review.ts'
import { emptyRows } from '../../domain/rows.ts'
import { entryProblem } from '../../domain/seal.ts'
import { segmentOf } from '../../domain/line.ts'
import { joinVectors, rangesBetween, withoutRanges } from '../../domain/version-vector.ts'
import { changeCold } from '../../domain/work.ts'
import { bareEntry } from './entry-view.ts'
import { lanesOf, readLane } from './session-reader.ts'

/** All that is stored of a session, and what is wrong with it. */
export interface SessionCheck {
  readonly entries: readonly StoredEntry[]
  readonly problems: readonly VerifyProblem[]
  /** Records that can't be read, by lane. */
  readonly unreadable: readonly { readonly lane: number; readonly record: string }[]
}

/** Reads every record of a session and holds it against its own checksums and against the session's rows. */
export async function checkSession(backend: CoreBackend, rows: SessionRows): Promise<SessionCheck> {
  const { key, session } = rows.hot
  const problems: VerifyProblem[] = []
  const unreadable: { lane: number; record: string }[] = []
  const entries: StoredEntry[] = []
  for (const lane of lanesOf(rows)) {
    const stored = await readLane(backend, session, lane, '', (record) => {
      unreadable.push({ lane, record })
      problems.push({ key, kind: 'unreadable', at: record, message: `Record "${record}" of lane ${lane} can't be read.` })
    })
    for (const row of stored) {
      entries.push(row)
      const problem = entryProblem(bareEntry(row))
      const id = entryId(row.w, row.s)
      if (problem !== undefined) problems.push({ key, kind: problem.includes('checksum') ? 'checksum' : 'order', at: id, message: `Entry ${id}: ${problem}.` })
      for (const field of unusableFields(row)) problems.push({ key, kind: 'meta', at: id, message: `Entry ${id} sets "${field}" to what it can't be; it reads as if it were not set.` })
      if ((lane === controlLane) !== isControl(row.type)) problems.push({ key, kind: 'order', at: id, message: `Entry ${id} of type "${row.type}" lies in lane ${lane}.` })
    }
  }
  return { entries, problems: [...problems, ...findGaps(rows, entries), ...findDrift(rows, entries, problems.length > 0)], unreadable }
}

function unusableFields({ type, data }: StoredEntry): readonly string[] {
  if (type !== 'meta' || data['target'] !== undefined) return []
  const set = data['set'] as JsonObject
  const sound = soundFields(set)
  return Object.keys(set).filter((field) => set[field] !== null && !Object.hasOwn(sound, field))
}

/** Entries that the rows know of and that are neither stored nor purged. */
function missingEntries({ hot, cold }: SessionRows, entries: readonly StoredEntry[]): SequenceRanges {
  return withoutRanges(rangesBetween(joinVectors(cold.vv, hot.ahead), entries), cold.purged)
}

function findGaps(rows: SessionRows, entries: readonly StoredEntry[]): readonly VerifyProblem[] {
  return Object.entries(missingEntries(rows, entries)).flatMap(([writer, gaps]) =>
    gaps.map(([from, to]): VerifyProblem => {
      const [at, last] = [from, to - 1].map((s) => entryId(Number.parseInt(writer, 36), s)) as [string, string]
      return { key: rows.hot.key, kind: 'gap', at, message: at === last ? `Entry ${at} is missing.` : `Entries ${at} to ${last} are missing.` }
    }),
  )
}

/** Facts of the rows that must be what the log says. */
function findDrift({ hot, cold }: SessionRows, entries: readonly StoredEntry[], isDamaged: boolean): readonly VerifyProblem[] {
  if (isDamaged) return []
  const rebuilt = rebuildRows(hot, entries)
  const told = ({ hot: row, cold: fold }: SessionRows): JsonValue => [
    row.head, row.lineEnd, row.transcript.messages, row.transcript.tokens, row.context.messages, row.context.tokens, row.deletedAt ?? null, row.title ?? null, row.suggestedTitle ?? null,
    fold.fields as unknown as JsonValue, fold.heads as unknown as JsonValue, Object.keys(fold.branches).sort(), fold.cuts.length, fold.compactions.length,
  ]
  if (canonicalJson(told(rebuilt)) === canonicalJson(told({ hot, cold }))) return []
  return [{ key: hot.key, kind: 'meta', at: hot.key, message: 'The session\'s metadata row is not what its log says.' }]
}

/** A session's rows made anew from its entries. Local numbers (session, lanes, version) stay. */
export function rebuildRows(hot: HotRow, entries: readonly StoredEntry[], cold?: SessionRows['cold']): SessionRows {
  const base = emptyRows(hot.key, hot.session)
  const fold = foldEntries(entries.map(bareEntry))
  const work = beginWork({ hot: base.hot, cold: { ...base.cold, lanes: cold?.lanes ?? base.cold.lanes } })
  // Control entries first: then each row is counted once, by the final line.
  for (const row of entries) if (isControl(row.type) && row.type !== 'edit') arrive(work, bareEntry(row), row.bytes)
  for (const row of entries) if (isControl(row.type) && row.type === 'edit') arrive(work, bareEntry(row), row.bytes)
  const rows: StoredEntry[] = []
  for (const row of entries) {
    if (isControl(row.type)) continue
    const arrived = arrive(work, bareEntry(row), row.bytes).row
    if (arrived !== undefined) rows.push(arrived)
  }
  const byPlace = new Map(fold.rows.map((row) => [editKey(row.branch, row.order), row.edit]))
  const ordered = rows
    .map((row) => {
      const edit = byPlace.get(editKey(row.branch, row.order))
      return edit === undefined ? row : { ...row, edit }
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  if (hasCopies(ordered)) changeCold(work, { hasCopies: true })
  work.review = { kind: 'scan', after: '' }
  settleReview(work, ordered.filter((row) => segmentOf(work.line, row) >= 0 || row.branch === work.hot.head), fold.cold.newer)
  const { hot: made } = work
  // What was known stays known, so that no sequence number is used twice; what of it is gone may come back from another device.
  const vv = joinVectors(joinVectors(work.cold.vv, made.ahead), cold === undefined ? {} : joinVectors(cold.vv, hot.ahead))
  const lost = missingEntries({ hot: { ...made, ahead: {} }, cold: { ...work.cold, vv } }, entries)
  return {
    hot: {
      ...made, version: hot.version, coldVersion: hot.version, operations: hot.operations, recent: hot.recent, ahead: {}, pack: { from: '', count: 0 },
      ...(hot.restarted === undefined ? {} : { restarted: hot.restarted }),
    },
    cold: { ...work.cold, vv, pending: fold.cold.pending, ...(Object.keys(lost).length === 0 ? {} : { lost }) },
  }
}
