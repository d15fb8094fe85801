import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import type { EntryChange, TransactOptions, TransactResult } from '../../../contract/store/atomic-changes.ts'
import { editKey } from '../../../domain/fold.ts'
import { pushAll } from '../../../domain/push-all.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { describeValue } from '../describe-value.ts'
import { refuseMissing, restartDeleted } from '../lifecycle/lifecycle.ts'
import { receiptOf } from '../reading/entry-view.ts'
import { openLine } from '../reading/open-line.ts'
import { readUnknownTail } from '../reading/session-reader.ts'
import { checkBranch, defaultDurability } from './append.ts'
import { appendAgain, keptAppend } from './append-receipts.ts'
import { type CheckedContent, checkContent, planContent, planEdit } from './change-entry.ts'
import { checkRef, findTarget, isShown } from './find-target.ts'
import { emptyLine, hasMoved, type LineEnds, readEnds } from './has-moved.ts'
import { type CheckedLine, checkDurability, checkLines, operationOf } from './input.ts'
import type { Mutation } from './mutation.ts'
import { leaveEarlierTurn, planLine } from './plan.ts'

interface TransactFacts extends LineEnds {
  readonly targets: readonly (StoredEntry | undefined)[]
  readonly tail: LineTail | undefined
}

/** A change of one entry; without content it is removed. */
interface CheckedTarget {
  readonly target: EntryRef
  readonly content: CheckedContent | null
}

/** Appends, edits and removes in one commit. */
export function transactMutation(
  backend: CoreBackend,
  changes: readonly EntryChange[],
  now: number,
  options: TransactOptions = {},
): Mutation<TransactFacts | undefined, TransactResult> {
  const { lines, targets } = checkChanges(changes, now)
  const branch = checkBranch(options.branch)
  const { parent, onDeleted } = options
  if (parent !== undefined && typeof parent !== 'string')
    throw new SessionError('InvalidInput', 'parent must be the order of the last entry you saw, or "".')
  return {
    durability: checkDurability(options) ?? (targets.length > 0 ? 'strict' : defaultDurability(lines)),
    operation: operationOf(
      options,
      'transact',
      [branch ?? null, parent ?? null, targets as unknown as JsonValue],
      lines.map(({ plannedEntry, bytes }) => `${plannedEntry.type} ${bytes} ${plannedEntry.crc}`).join('\n'),
    ),
    keep: (result) => keptAppend({ ...result, moved: false }),
    again: async (rows, stored) => {
      const { entries, branch } = await appendAgain(backend, rows, stored)
      return { entries, branch }
    },
    prepare: async (rows, writer) => {
      const { hot, cold } = rows
      if (hot.version === 0 || hot.deletedAt !== undefined) return undefined
      const line = openLine(cold, branch ?? hot.head, hot.key)
      const found: (StoredEntry | undefined)[] = []
      for (const { target } of targets) {
        const row = await findTarget(backend, rows, target, line)
        found.push(row !== undefined && isShown(cold, row, line) ? row : undefined)
      }
      const tail = await readUnknownTail(backend, rows, parent === undefined ? writer : { w: writer.w }, line)
      return { targets: found, tail, ...(await readEnds(backend, rows, line, tail, parent)) }
    },
    plan: (plan, facts) => {
      const { work } = plan
      if (onDeleted === 'refuse') refuseMissing(work, work.hot.key)
      const ends = facts ?? emptyLine
      if (parent !== undefined && hasMoved(parent, ends))
        throw new SessionError(
          'ParentMoved',
          `The line moved on: its last entry is "${ends.shownEnd}", not "${parent}". Read the line again. Nothing was changed.`,
        )
      const rows = targets.map(({ target }, i) => facts?.targets[i] ?? refuseGone(target))
      if (lines.length > 0) restartDeleted(plan)
      const to = branch === undefined ? work.hot.head : openLine(work.cold, branch, work.hot.key).branch
      // Appended entries come first, so that of a change that arrives in part elsewhere too much is shown, not nothing,
      // and so that their receipts can be made again from the place of the first.
      const [first] = lines
      if (parent !== undefined && first !== undefined) leaveEarlierTurn(plan, first.plannedEntry, to, facts?.tail)
      const entries = lines.map(({ plannedEntry, bytes }, i) =>
        receiptOf(planLine(plan, plannedEntry, bytes, to, i === 0 ? facts?.tail : undefined)),
      )
      const changed = new Map<string, StoredEntry>()
      targets.forEach(({ target, content }, i) => {
        const read = rows[i]!
        const place = editKey(read.branch, read.order)
        // An earlier change of this call may have been of the same entry.
        const row = changed.get(place) ?? read
        if (row.edit?.value === null) refuseGone(target)
        changed.set(place, content === null ? planEdit(plan, row, null) : planContent(plan, row, content))
      })
      return { entries, branch: to }
    },
  }
}

function refuseGone(target: EntryRef): never {
  throw new SessionError(
    'ParentMoved',
    `The entry at ${JSON.stringify(target)} is gone: somebody removed it, or it never was. Read the session again. Nothing was changed.`,
  )
}

function checkChanges(
  changes: readonly EntryChange[],
  now: number,
): { readonly lines: readonly CheckedLine[]; readonly targets: readonly CheckedTarget[] } {
  const lines: CheckedLine[] = []
  const targets: CheckedTarget[] = []
  changes.forEach((change, i) => {
    const given = (change ?? {}) as EntryChange
    switch (given.type) {
      case 'append':
        pushAll(lines, checkLines(given.entries, now))
        break
      case 'edit': {
        const content = checkContent(given.content, `changes[${i}].content`)
        targets.push({ target: checkRef(given.target), content })
        break
      }
      case 'remove':
        targets.push({ target: checkRef(given.target), content: null })
        break
      default:
        given satisfies never
        throw new SessionError(
          'InvalidInput',
          `changes[${i}].type must be "append", "edit" or "remove", got ${describeValue((given as { readonly type?: unknown }).type)}. Nothing was changed.`,
        )
    }
  })
  return { lines, targets }
}
