import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { PutOptions, PutResult } from '../../../contract/store/atomic-changes.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { lineOfRow } from '../../../domain/fork-after.ts'
import { type Line, segmentOf } from '../../../domain/line.ts'
import { shownIn } from '../../../domain/shown-in.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { rowMessage } from '../../../domain/view-state.ts'
import type { Writer } from '../../../domain/writer.ts'
import { describeValue } from '../describe-value.ts'
import { refuseAnother, refuseMissing, restartDeleted } from '../lifecycle/lifecycle.ts'
import { receiptOf } from '../reading/entry-view.ts'
import { findLine, openLine } from '../reading/open-line.ts'
import { readNewestMessages, readUnknownTail } from '../reading/session-reader.ts'
import { checkBranch, defaultDurability } from './append.ts'
import { planEdit } from './change-entry.ts'
import { checkRef, findShown, findTarget } from './find-target.ts'
import type { CheckedLine } from './input.ts'
import { checkDurability, checkMessage, messageLine, operationOf } from './input.ts'
import type { Mutation } from './mutation.ts'
import { openFork } from './open-fork.ts'
import type { Plan } from './plan.ts'
import { planControl, planLine } from './plan.ts'

/** What a put reads: the message of that id, or the place for a new one. Absent where there is no session. */
type PutFacts = { readonly there: StoredEntry } | Place | undefined

/** At the end of a line, or on a branch to be opened after a row of a line (`undefined`: from nothing). */
type Place =
  | { readonly line: Line; readonly tail: LineTail | undefined }
  | { readonly forkAfter: StoredEntry | undefined; readonly line: Line | undefined }

/** The entry that a put makes where there is none of its id. @throws InvalidInput, TooLarge */
export function putLine(message: Message, now: number, mid: unknown): CheckedLine {
  if (mid !== undefined && (typeof mid !== 'string' || mid === ''))
    throw new SessionError('InvalidInput', `mid must be a non-empty string, got ${describeValue(mid)}.`)
  return messageLine(checkMessage(message), now, mid)
}

/** Makes a line show a message under a host id. @param line - made by {@link putLine} */
export function putMutation(
  backend: CoreBackend,
  line: CheckedLine,
  options: PutOptions = {},
): Mutation<PutFacts, PutResult> {
  const { plannedEntry, bytes } = line
  const { mid, message } = plannedEntry.data
  if (typeof mid !== 'string')
    throw new SessionError(
      'InvalidInput',
      'put needs the host id of the message: pass options.mid, or a message with an id. Nothing was written.',
    )
  const branch = checkBranch(options.branch)
  const after = options.after == null ? options.after : checkRef(options.after)
  return {
    durability: checkDurability(options) ?? defaultDurability([line]),
    operation: operationOf(
      options,
      'put',
      [branch ?? null, (after ?? null) as JsonValue, after === undefined],
      `${bytes} ${plannedEntry.crc}`,
    ),
    // A put that changed or found a message is done as long as that message exists.
    about: (facts) => (facts !== undefined && 'there' in facts ? facts.there : undefined),
    prepare: async (rows, writer) => {
      const { hot, cold } = rows
      if (hot.version === 0 || hot.deletedAt !== undefined) return undefined
      const asked = openLine(cold, branch ?? hot.head, hot.key)
      const there = await findShown(backend, rows, mid, asked, after !== undefined, 'message')
      if (there !== undefined) return { there }
      return findPlace(backend, rows, writer, asked, after, branch !== undefined)
    },
    plan: (plan, facts) => {
      if (options.onDeleted === 'refuse') refuseMissing(plan.work, plan.work.hot.key)
      refuseAnother(plan.work, options.session)
      restartDeleted(plan)
      if (facts !== undefined && 'there' in facts) {
        const { there } = facts
        const isSame = canonicalJson(rowMessage(there) as unknown as JsonValue) === canonicalJson(message!)
        if (!isSame) planEdit(plan, there, plannedEntry.data)
        return { outcome: isSame ? 'same' : 'changed', entry: receiptOf(there) }
      }
      const to = openPlace(plan, facts, branch, after !== undefined)
      const tail = facts !== undefined && 'tail' in facts ? facts.tail : undefined
      return { outcome: 'added', entry: receiptOf(planLine(plan, plannedEntry, bytes, to, tail)) }
    },
  }
}

/** @param isBound - whether only the line that was asked for counts */
async function findPlace(
  backend: CoreBackend,
  rows: SessionRows,
  writer: Writer,
  asked: Line,
  after: EntryRef | null | undefined,
  isBound: boolean,
): Promise<Place> {
  const endOf = async (line: Line): Promise<Place> => ({
    line,
    tail: await readUnknownTail(backend, rows, writer, line),
  })
  if (after === undefined) return endOf(asked)
  const row = after === null ? undefined : await findTarget(backend, rows, after, asked)
  if (after !== null && row === undefined)
    throw new SessionError(
      'InvalidInput',
      `Session "${rows.hot.key}" has no entry at ${JSON.stringify(after)} for the message to follow. Pass an entry that read() gave, or null.`,
    )
  const meant = row && (isBound && segmentOf(asked, row) >= 0 ? asked : lineOfRow(rows.cold, asked.branch, row))
  const own = row === undefined || isBound ? undefined : findLine(rows.cold, row.branch)
  for (const line of isBound ? [asked] : [asked, own, meant]) {
    if (line === undefined || (row !== undefined && line !== meant && !shownIn(line, row).transcript)) continue
    const [last] = await readNewestMessages(backend, rows, line, 'transcript', 1)
    if (last === undefined || (row !== undefined && last.order <= row.order)) return endOf(line)
  }
  return { forkAfter: row, line: meant }
}

/** Opens the branch that the place needs, or makes its line the head. @returns the branch to append to */
function openPlace(plan: Plan, place: Place | undefined, asked: string | undefined, isPlaced: boolean): string {
  const { hot, cold } = plan.work
  if (place === undefined) return asked === undefined ? hot.head : openLine(cold, asked, hot.key).branch
  if ('forkAfter' in place) return openFork(plan, place.forkAfter, place.line && findLine(cold, place.line.branch))
  const { branch } = place.line
  if (isPlaced && branch !== hot.head) planControl(plan, 'head', { branch }, '')
  return branch
}
