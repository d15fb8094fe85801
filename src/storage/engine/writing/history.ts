import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { HistoryOptions } from '../../../contract/store/picoclaw-store.ts'
import type { RemoveResult } from '../../../contract/store/session-log.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { isControl } from '../../../domain/control.ts'
import { planHistory } from '../../../domain/history-diff.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import { lineOf, segmentOf } from '../../../domain/line.ts'
import { orderEnd, turnEnd } from '../../../domain/order.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { isTransientThought } from '../../../domain/transient.ts'
import { planTruncation } from '../../../domain/truncation.ts'
import { rowMessage } from '../../../domain/view-state.ts'
import { knownVector } from '../../../domain/work.ts'
import { describeValue } from '../describe-value.ts'
import { refuseDeleted, refuseMissing, restartDeleted } from '../lifecycle/lifecycle.ts'
import { findLine } from '../reading/open-line.ts'
import { readAround } from '../reading/read-shown.ts'
import { readRow, readTail, readWholeLine } from '../reading/session-reader.ts'
import type { CheckedLine } from './input.ts'
import { checkDurability, checkMessage, checkObject, operationOf } from './input.ts'
import type { Mutation } from './mutation.ts'
import type { Plan } from './plan.ts'
import { dropHandle, planControl, planLine } from './plan.ts'

/** Forgets all but the last messages of the head line's context. Source: PicoClaw's `TruncateHistory`. */
export function truncateMutation(
  backend: CoreBackend,
  keepLast: number,
  options?: WriteOptions,
): Mutation<string | undefined, void> {
  if (typeof keepLast !== 'number' || Number.isNaN(keepLast))
    throw new SessionError('InvalidInput', `keepLast must be a number of messages, got ${describeValue(keepLast)}.`)
  const keep = Math.max(0, Math.floor(keepLast))
  return {
    durability: checkDurability(options) ?? 'relaxed',
    operation: operationOf(options, 'truncateHistory', [keep]),
    needs: (rows) => rows.hot.version > 0 && keep < rows.hot.context.messages,
    prepare: async (rows) =>
      planTruncation(await readAround(backend, rows, lineOf(rows.cold, rows.hot.head)!, keep), Math.min(keep, 1)),
    plan: (plan, order) => {
      if (plan.work.hot.version === 0) createEmpty(plan)
      refuseDeleted(plan.work, plan.work.hot.key)
      // The writer's turn stays open: a later result stays next to its call, hidden or not.
      if (order !== undefined) planControl(plan, 'cut', { order, vv: knownVector(plan.work) }, plan.work.hot.head)
    },
  }
}

/** Adds an entry to a session that does not exist yet, so that it exists. */
export function createEmpty(plan: Plan): void {
  if (plan.base.hot.version === 0 && plan.rows.length === 0) planControl(plan, 'meta', { set: {} }, '')
}

interface HistoryFacts {
  readonly messages: readonly StoredEntry[]
  /** Absent when the hot row knows it. */
  readonly tail: LineTail | undefined
}

/** Makes the context's messages equal to a list, by the smallest change. */
export function setHistoryMutation(
  backend: CoreBackend,
  lines: readonly CheckedLine[],
  options?: HistoryOptions,
): Mutation<HistoryFacts, void> {
  const kept =
    options?.keepThoughts === true
      ? lines
      : lines.filter(({ plannedEntry }) => !isTransientThought(plannedEntry.data['message'] as unknown as Message))
  const messages = kept.map(({ plannedEntry }) => plannedEntry.data['message'] as unknown as Message)
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'setHistory', [messages as unknown as JsonValue]),
    needs: (rows) => rows.hot.version > 0 && rows.hot.deletedAt === undefined,
    prepare: async (rows) => {
      const line = lineOf(rows.cold, rows.hot.head)!
      const context = await readWholeLine(backend, rows, line, 'context')
      return {
        messages: context.filter((row) => row.type === 'message'),
        tail: rows.hot.tail === undefined ? await readTail(backend, rows, line) : undefined,
      }
    },
    plan: (plan, facts) => {
      restartDeleted(plan)
      createEmpty(plan)
      const old = facts?.messages ?? []
      const found = planHistory(
        old.map((row) => rowMessage(row)!),
        messages,
      )
      // An edit applies to all lines. When there are others, only a cut leaves them unchanged.
      const others = Object.keys(plan.work.cold.branches).some(
        (branch) => findLine(plan.work.cold, branch) !== undefined,
      )
      const { from, to, appendFrom } =
        others && found.from > 0 && found.to > found.from ? { from: 0, to: old.length, appendFrom: 0 } : found
      const vv = knownVector(plan.work)
      const { lineEnd } = plan.work.hot
      const cutsAll = from === 0 && to === old.length && to > 0
      dropHandle(plan)
      const rest = kept.slice(appendFrom)
      // The messages come first and the cut last, with the vector from before: a batch that arrives in part shows too
      // much, never nothing.
      rest.forEach(({ plannedEntry, bytes }, i) => {
        if (i === 0 && cutsAll) delete plan.work.hot.tail
        planLine(plan, plannedEntry, bytes, plan.work.hot.head, i === 0 && !cutsAll ? facts?.tail : undefined)
      })
      if (from === 0 && to > 0) {
        // A cut to the end says that the line was emptied, so that former operations may be done again. That must not
        // be said when other messages replace them.
        const order = !cutsAll
          ? planTruncation(old.slice(to - 1, to + 1).reverse(), Math.min(old.length - to, 1))
          : rest.length === 0
            ? orderEnd
            : turnEnd(lineEnd)
        if (order !== undefined) planControl(plan, 'cut', { order, vv }, plan.work.hot.head)
      } else {
        for (const row of old.slice(from, to))
          planControl(plan, 'edit', { branch: row.branch, order: row.order, value: null }, '', row)
      }
      dropHandle(plan)
    },
  }
}

/** PicoClaw's `SetSummary`: creates the session when there is none. */
export function setSummaryMutation(summary: string, options?: WriteOptions): Mutation<undefined, void> {
  if (typeof summary !== 'string')
    throw new SessionError('InvalidInput', `summary must be a string, got ${typeof summary}.`)
  const value = checkObject({ summary }, 'summary')
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'setSummary', [summary]),
    plan: (plan) => {
      restartDeleted(plan)
      planControl(plan, 'meta', { set: value }, '')
    },
  }
}

/** Replaces one entry. */
export function editMutation(
  backend: CoreBackend,
  target: EntryRef,
  message: Message,
  options?: WriteOptions,
): Mutation<StoredEntry | undefined, void> {
  const checked = checkMessage(message)
  return changeMutation(backend, target, checked, options, (plan, row) => {
    if (row.type !== 'message')
      throw new SessionError(
        'InvalidInput',
        `The entry is of type "${row.type}" and can't become a message. Only messages can be edited.`,
      )
    const mid = row.data['mid']
    planEdit(plan, row, { message: checked as unknown as JsonObject, ...(typeof mid === 'string' ? { mid } : {}) })
  })
}

/**
 * Removes one entry, unless it is already removed. So only one of two tabs gets the result that it removed the entry.
 */
export function removeMutation(
  backend: CoreBackend,
  target: EntryRef,
  options?: WriteOptions,
): Mutation<StoredEntry | undefined, RemoveResult> {
  return changeMutation(backend, target, null, options, (plan, row) => {
    const removed = row.edit?.value !== null
    if (removed) planEdit(plan, row, null)
    return { removed }
  })
}

function planEdit(plan: Plan, row: StoredEntry, value: JsonValue): void {
  planControl(plan, 'edit', { branch: row.branch, order: row.order, value }, '', row)
}

function changeMutation<Result>(
  backend: CoreBackend,
  target: EntryRef,
  message: Message | null,
  options: WriteOptions | undefined,
  change: (plan: Plan, row: StoredEntry) => Result,
): Mutation<StoredEntry | undefined, Result> {
  const ref = checkRef(target)
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'edit', [ref as unknown as JsonValue, message as unknown as JsonValue]),
    prepare: async (rows) => {
      refuseMissing(rows, rows.hot.key)
      return findTarget(backend, rows, ref)
    },
    plan: (plan, row) => {
      if (row === undefined)
        throw new SessionError(
          'InvalidInput',
          `Session "${plan.work.hot.key}" has no entry at ${JSON.stringify(ref)}. Pass an entry that read() gave.`,
        )
      return change(plan, row)
    },
  }
}

/** @throws InvalidInput */
export function checkRef(target: unknown): EntryRef {
  const { branch, order, mid } = (target ?? {}) as { branch?: unknown; order?: unknown; mid?: unknown }
  if (typeof branch === 'string' && typeof order === 'string') return { branch, order }
  if (typeof mid === 'string') return { mid }
  throw new SessionError(
    'InvalidInput',
    'An entry reference must be { branch, order } or { mid }. Pass an entry that read() gave.',
  )
}

/**
 * The row that a reference names. Of several with one host id it is the newest; of copies the one that `line` shows, by
 * default the head's.
 */
export async function findTarget(
  backend: CoreBackend,
  rows: SessionRows,
  ref: EntryRef,
  line = lineOf(rows.cold, rows.hot.head)!,
): Promise<StoredEntry | undefined> {
  if ('order' in ref) return readRow(backend, rows, ref.branch, ref.order)
  const found = (await backend.findByMid(rows.hot.session, [ref.mid]))
    .filter((row) => !isControl(row.type))
    .sort((a, b) => (a.order < b.order ? 1 : -1))
  const areCopies = found.every((row) => importedMid(row) !== undefined)
  return found.findLast((row) => areCopies && segmentOf(line, row) >= 0) ?? found[0]
}
