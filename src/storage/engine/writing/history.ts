import type { CoreBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import type { HistoryOptions } from '../../../contract/store/picoclaw-store.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { planHistory } from '../../../domain/history-diff.ts'
import { lineOf } from '../../../domain/line.ts'
import { orderEnd, turnEnd } from '../../../domain/order.ts'
import { summaryOf } from '../../../domain/summary.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { isTransientThought } from '../../../domain/transient.ts'
import { planTruncation } from '../../../domain/truncation.ts'
import { rowMessage } from '../../../domain/view-state.ts'
import { knownVector } from '../../../domain/work.ts'
import { describeValue } from '../describe-value.ts'
import { refuseDeleted, restartDeleted } from '../lifecycle/lifecycle.ts'
import { findLine } from '../reading/open-line.ts'
import { readLast } from '../reading/read-last.ts'
import { readAround } from '../reading/read-shown.ts'
import { readTail, readWholeLine } from '../reading/session-reader.ts'
import type { CheckedLine } from './input.ts'
import { checkDurability, checkObject, operationOf } from './input.ts'
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

/**
 * Empties the head line, summaries included: a cut to its end also says that former operations may be done again.
 */
export function clearMutation(backend: CoreBackend, options?: WriteOptions): Mutation<boolean, void> {
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'clear', []),
    prepare: async (rows) => (await readLast(backend, rows)) !== undefined,
    plan: (plan, isShown) => {
      const { work } = plan
      if (isShown !== true && summaryOf(work.cold, work.line) === '') return
      planControl(plan, 'cut', { order: orderEnd, vv: knownVector(work), clears: true }, work.hot.head)
      dropHandle(plan)
    },
  }
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
