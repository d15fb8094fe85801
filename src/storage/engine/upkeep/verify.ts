import type { CoreBackend } from '../../../contract/backend.ts'
import { controlLane } from '../../../contract/backend.ts'
import type { SequenceRanges } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { VerifyProblem } from '../../../contract/store/verify-problem.ts'
import { entryId } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { isControl } from '../../../domain/control.ts'
import { namedBlobs } from '../../../domain/named-blobs.ts'
import { entryProblem } from '../../../domain/seal.ts'
import { covers, joinVectors, withoutRanges } from '../../../domain/version-vector.ts'
import { soundFields } from '../metadata/sound-fields.ts'
import { fieldOf, listingOf } from '../metadata/stored-meta.ts'
import { bareEntry } from '../reading/entry-view.ts'
import type { Pace } from '../work-pace.ts'
import { createProblemList, type ProblemList } from './problem-list.ts'
import { type ReadLog, readLog } from './rebuild-session.ts'

/** The most records and rows that one check names for repair. The next check names the rest. */
const repairLimit = 1000

/** The stored state of a session, and its problems. */
export interface SessionCheck {
  /** The rows that were checked: the given ones, or newer ones. */
  readonly rows: SessionRows
  readonly entries: number
  readonly problems: ProblemList
  /** Records that can't be read, by lane. */
  readonly unreadable: readonly { readonly lane: number; readonly record: string }[]
  /** Rows that may be stored without their last edit, by lane. */
  readonly edited: readonly { readonly lane: number; readonly row: StoredEntry }[]
  /** How many entries name each blob. */
  readonly named: ReadonlyMap<string, number>
  readonly log: ReadLog
}

/** How often a session is checked again when others write to it. */
const attemptLimit = 3

/**
 * Reads every record of a session and compares it with its own checksums and with the session's rows. Entries that
 * others write meanwhile are no problem: they are left out when the rows do not cover them, and what can't be decided
 * about a session that keeps changing is not reported.
 *
 * @returns `undefined` when it was purged in the meantime
 */
export async function checkSession(
  backend: CoreBackend,
  asked: SessionRows,
  pace: Pace,
): Promise<SessionCheck | undefined> {
  for (let rows = asked, look = 1; ; look++) {
    const check = await checkOnce(backend, rows, pace, look > 1)
    const missing = check.log.builder.missing(joinVectors(rows.cold.vv, rows.hot.ahead))
    const hasDrifted = check.problems.count() === 0 && hasDrift(check)
    const now =
      !hasDrifted && Object.keys(withoutRanges(missing, rows.cold.purged)).length === 0
        ? rows
        : await backend.loadSession(rows.hot.key)
    // Another session may be under the key by now.
    if (now?.hot.session !== rows.hot.session) return undefined
    const isSame = now.hot.version === rows.hot.version
    if (hasDrifted && !isSame && look < attemptLimit) {
      rows = now
      continue
    }
    addGaps(check, withoutRanges(missing, now.cold.purged))
    if (hasDrifted && isSame)
      check.problems.add({
        key: rows.hot.key,
        kind: 'meta',
        at: rows.hot.key,
        message: "The session's metadata row differs from its log.",
      })
    return check
  }
}

/** @param isMoving - whether others write to it, so that entries which the rows do not cover came later */
async function checkOnce(
  backend: CoreBackend,
  rows: SessionRows,
  pace: Pace,
  isMoving: boolean,
): Promise<SessionCheck> {
  const { key } = rows.hot
  const problems = createProblemList()
  const unreadable: { lane: number; record: string }[] = []
  const edited: { lane: number; row: StoredEntry }[] = []
  const named = new Map<string, number>()
  let entries = 0
  const known = joinVectors(rows.cold.vv, rows.hot.ahead)
  const log = await readLog(
    backend,
    rows.hot,
    rows.cold,
    pace,
    {
      entry: (row, lane, isNew) => {
        entries++
        for (const problem of problemsOf(key, row, lane, isNew)) problems.add(problem)
        for (const hash of namedBlobs(row)) named.set(hash, (named.get(hash) ?? 0) + 1)
      },
      otherEdit: (row) => {
        const id = entryId(row.w, row.s)
        if (row.edit === undefined)
          problems.add({ key, kind: 'meta', at: id, message: `Entry ${id} is stored without its edit from the log.` })
        if (edited.length < repairLimit) edited.push({ lane: rows.cold.lanes[row.branch]!, row })
      },
      unreadable: (lane, record) => {
        problems.add({
          key,
          kind: 'unreadable',
          at: record,
          message: `Record "${record}" of lane ${lane} can't be read.`,
        })
        if (unreadable.length < repairLimit) unreadable.push({ lane, record })
      },
    },
    isMoving ? ({ w, s }) => covers(known, w, s) : undefined,
  )
  return { rows, entries, problems, unreadable, edited, named, log }
}

function* problemsOf(
  key: string,
  row: StoredEntry,
  lane: number,
  isNew: boolean,
): Generator<VerifyProblem, void, undefined> {
  const problem = entryProblem(bareEntry(row))
  const id = entryId(row.w, row.s)
  if (problem !== undefined)
    yield {
      key,
      kind: problem.includes('checksum') ? 'checksum' : 'order',
      at: id,
      message: `Entry ${id}: ${problem}.`,
    }
  for (const field of unusableFields(row))
    yield {
      key,
      kind: 'meta',
      at: id,
      message: `Entry ${id} sets "${field}" to an invalid value; it reads as if it were not set.`,
    }
  if ((lane === controlLane) !== isControl(row.type))
    yield { key, kind: 'order', at: id, message: `Entry ${id} of type "${row.type}" lies in lane ${lane}.` }
  if (!isNew) yield { key, kind: 'order', at: id, message: `Entry ${id} exists twice.` }
}

function unusableFields({ type, data }: StoredEntry): readonly string[] {
  if (type !== 'meta' || data['target'] !== undefined) return []
  const set = data['set'] as JsonObject
  const sound = soundFields(set)
  return Object.keys(set).filter((field) => set[field] !== null && !Object.hasOwn(sound, field))
}

/** @param gaps - entries that the rows cover and that are neither stored nor purged */
function addGaps({ rows: { hot }, problems }: SessionCheck, gaps: SequenceRanges): void {
  for (const [writer, ranges] of Object.entries(gaps)) {
    for (const [from, to] of ranges) {
      const [at, last] = [from, to - 1].map((s) => entryId(Number.parseInt(writer, 36), s)) as [string, string]
      problems.add({
        key: hot.key,
        kind: 'gap',
        at,
        message: at === last ? `Entry ${at} is missing.` : `Entries ${at} to ${last} are missing.`,
      })
    }
  }
}

/** Whether facts of the rows differ from the log. */
function hasDrift({ rows, log }: SessionCheck): boolean {
  return canonicalJson(factsOf(log.rows)) !== canonicalJson(factsOf(rows))
}

function factsOf({ hot: row, cold: fold }: SessionRows): JsonValue {
  // A list still counts the times of entries that were erased, and the log no longer has these.
  // Rows that were stored before lists had it lack the ttl.
  const { createdAt: _, updatedAt: __, ttl = fieldOf<number>(fold, 'ttl'), ...listing } = listingOf(row)
  return [
    listing as unknown as JsonValue,
    row.head,
    row.lineEnd,
    row.transcript.tokens,
    row.context.messages,
    row.suggestedTitle ?? null,
    row.restartedAt ?? null,
    ttl ?? null,
    fold.fields as unknown as JsonValue,
    fold.heads as unknown as JsonValue,
    Object.keys(fold.branches).sort(),
    fold.cuts.length,
    fold.compactions.length,
  ]
}
