import type { CoreBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { AppendOptions, AppendResult } from '../../../contract/store/session-log.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { hasOpenCalls } from '../../../domain/tool-calls.ts'
import type { Writer } from '../../../domain/writer.ts'
import { isWithinTurn, opensTurn, targetBranch } from '../../../domain/writer.ts'
import { describeValue } from '../describe-value.ts'
import { refuseMissing, restartDeleted } from '../lifecycle/lifecycle.ts'
import { receiptOf } from '../reading/entry-view.ts'
import { findLine, openLine } from '../reading/open-line.ts'
import { readUnknownTail } from '../reading/session-reader.ts'
import { appendAgain, keptAppend } from './append-receipts.ts'
import { emptyLine, hasMoved, type LineEnds, readEnds } from './has-moved.ts'
import type { CheckedLine } from './input.ts'
import { checkDurability, operationOf } from './input.ts'
import type { Mutation } from './mutation.ts'
import { openFork } from './open-fork.ts'
import type { Plan } from './plan.ts'
import { dropHandle, leaveEarlierTurn, planLine } from './plan.ts'

/** The ways to handle a line that has moved on. */
const conflictModes = { append: true, branch: true, refuse: true } satisfies Record<
  NonNullable<AppendOptions['onConflict']>,
  true
>

/** The facts that an append reads before it can be planned. */
interface AppendFacts extends LineEnds {
  readonly branch: string
  /** Absent when the writer has a turn of its own, or the hot row knows the tail. */
  readonly tail: LineTail | undefined
}

/**
 * `strict` for a user's message or a finished turn: what a user says, and what an assistant says that waits for no
 * tool.
 */
export function defaultDurability(lines: readonly CheckedLine[]): Durability {
  const messages = lines.flatMap(({ plannedEntry }) =>
    plannedEntry.type === 'message' ? [plannedEntry.data['message'] as unknown as Message] : [],
  )
  return messages.some(({ role }, i) => role === 'user' || (role === 'assistant' && !hasOpenCalls([messages[i]])))
    ? 'strict'
    : 'relaxed'
}

/** @throws InvalidInput */
export function checkBranch(branch: unknown, option = 'branch'): string | undefined {
  if (branch === undefined || typeof branch === 'string') return branch
  throw new SessionError('InvalidInput', `${option} must be the id of a branch, or "" for main.`)
}

/** Appends lines to a session's line, creating or restarting the session. */
export function appendMutation(
  backend: CoreBackend,
  lines: readonly CheckedLine[],
  options: AppendOptions = {},
): Mutation<AppendFacts, AppendResult> {
  const { parent, onConflict = 'append', onDeleted = 'restart' } = options
  const asked = checkBranch(options.branch)
  if (parent !== undefined && typeof parent !== 'string')
    throw new SessionError(
      'InvalidInput',
      'parent must be the order of the last entry you saw, or "" for an empty line.',
    )
  if (typeof onConflict !== 'string' || !Object.hasOwn(conflictModes, onConflict))
    throw new SessionError(
      'InvalidInput',
      `onConflict must be "append", "branch" or "refuse", got ${describeValue(onConflict)}.`,
    )
  const first = lines[0]!.plannedEntry
  const branchFor = (rows: SessionRows, writer: Writer): string => asked ?? targetBranch(rows, writer, first)

  return {
    durability: checkDurability(options) ?? defaultDurability(lines),
    isUnconditional: parent === undefined,
    operation: operationOf(
      options,
      'append',
      // Which line a branch leaves is settled by the first call: the branch that it opened shows `parent` too.
      [(onConflict === 'branch' ? undefined : asked) ?? null, parent ?? null, onConflict],
      lines.map(({ plannedEntry, bytes }) => `${plannedEntry.type} ${bytes} ${plannedEntry.crc}`).join('\n'),
    ),
    keep: keptAppend,
    again: (rows, stored) => appendAgain(backend, rows, stored),
    needs: (rows, writer) => {
      const { hot } = rows
      if (hot.version === 0) return false
      if (asked === undefined && parent === undefined && opensTurn(first.type, first.data)) return false
      const branch = branchFor(rows, writer)
      if (branch !== hot.head || parent !== undefined) return asked !== undefined || parent !== undefined
      return !isWithinTurn(writer, branch) && hot.tail === undefined && hot.lineEnd !== ''
    },
    prepare: async (rows, writer) => {
      const branch = branchFor(rows, writer)
      const line = findLine(rows.cold, branch)
      if (line === undefined) return { branch, tail: undefined, ...emptyLine }
      const tail = await readUnknownTail(backend, rows, parent === undefined ? writer : { w: writer.w }, line)
      return { branch, tail, ...(await readEnds(backend, rows, line, tail, parent)) }
    },
    plan: (plan, facts) => {
      if (onDeleted === 'refuse') refuseMissing(plan.work, plan.work.hot.key)
      restartDeleted(plan)
      // The branch of the writer's open turn may have been deleted in the meantime.
      const isOpen = (branch: string): boolean =>
        branch === plan.work.hot.head || findLine(plan.work.cold, branch) !== undefined
      if (asked === undefined && !isOpen(targetBranch(plan.work, plan.writer, first))) dropHandle(plan)
      let branch = asked ?? targetBranch(plan.work, plan.writer, first)
      if (!isOpen(branch)) openLine(plan.work.cold, branch, plan.work.hot.key)
      const { lineEnd } = plan.work.hot
      const ends = facts ?? { lineEnd, shownEnd: lineEnd, parent: undefined }
      const moved = parent !== undefined && hasMoved(parent, ends)
      let tail = facts?.tail
      const way = moved ? onConflict : 'append'
      switch (way) {
        case 'refuse':
          throw new SessionError(
            'ParentMoved',
            `The line moved on: its last entry is "${ends.shownEnd}", not "${parent}". Read the line again, or append with onConflict "append" or "branch".`,
          )
        case 'branch':
          branch = branchAtParent(plan, parent!, facts?.parent, branch)
          tail = undefined
          break
        case 'append':
          if (parent !== undefined && !moved) leaveEarlierTurn(plan, first, branch, tail)
          break
        default:
          way satisfies never
      }
      const entries = lines.map(({ plannedEntry, bytes }, i) =>
        planLine(plan, plannedEntry, bytes, branch, i === 0 ? tail : undefined),
      )
      return { entries: entries.map(receiptOf), branch, moved }
    },
  }
}

/** @throws InvalidInput where there is no row at a parent that is not the start */
function branchAtParent(plan: Plan, parent: string, row: StoredEntry | undefined, branch: string): string {
  if (row === undefined && parent !== '')
    throw new SessionError(
      'InvalidInput',
      `parent "${parent}" is not an entry of the line, so that no branch can leave there. Read the line again.`,
    )
  return openFork(plan, row, findLine(plan.work.cold, branch))
}
