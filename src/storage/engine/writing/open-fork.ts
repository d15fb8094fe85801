import type { Fork } from '../../../contract/entry.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import { entryId } from '../../../domain/address.ts'
import { forkAfter, lineOfRow } from '../../../domain/fork-after.ts'
import { type Line, segmentOf } from '../../../domain/line.ts'
import type { Plan } from './plan.ts'
import { dropHandle, planControl } from './plan.ts'

/**
 * The fork of a branch that continues a line after a row, or that begins from nothing.
 *
 * @param line - default, also where it lacks the row: the line that shows the row
 */
export function planFork({ work: { hot, cold } }: Plan, row: StoredEntry | undefined, line?: Line): Fork {
  if (row === undefined) return { branch: '', order: '' }
  const left = line !== undefined && segmentOf(line, row) >= 0 ? line : lineOfRow(cold, hot.head, row)
  return left === undefined ? { branch: row.branch, order: row.order } : forkAfter(cold, left, row)
}

/** Opens a branch after a row of a line, or from nothing, and makes it the head. @returns its id */
export function openFork(plan: Plan, row: StoredEntry | undefined, line: Line | undefined): string {
  const fork = planFork(plan, row, line)
  const opener = planControl(plan, 'branch', { fork: { ...fork }, head: true }, fork.branch, row)
  dropHandle(plan)
  return entryId(opener.w, opener.s)
}
