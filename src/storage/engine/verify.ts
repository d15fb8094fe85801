import type { CoreBackend } from '../../contract/backend.ts'
import { controlLane } from '../../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../../contract/rows.ts'
import type { VerifyProblem } from '../../contract/store.ts'
import { entryId } from '../../domain/address.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { isControl } from '../../domain/control.ts'
import { soundFields } from './sound-fields.ts'
import { entryProblem } from '../../domain/seal.ts'
import { bareEntry } from './entry-view.ts'
import { missingEntries, rebuildRows } from './rebuild-rows.ts'
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
    row.head, row.lineEnd, row.transcript.messages, row.transcript.tokens, row.context.messages, row.context.tokens, row.deletedAt ?? null, row.kept ?? null, row.life ?? null, row.title ?? null, row.suggestedTitle ?? null,
    fold.fields as unknown as JsonValue, fold.heads as unknown as JsonValue, Object.keys(fold.branches).sort(), fold.cuts.length, fold.compactions.length,
  ]
  if (canonicalJson(told(rebuilt)) === canonicalJson(told({ hot, cold }))) return []
  return [{ key: hot.key, kind: 'meta', at: hot.key, message: 'The session\'s metadata row is not what its log says.' }]
}
