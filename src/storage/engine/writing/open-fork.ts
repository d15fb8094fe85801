import type { StoredEntry } from '../../../contract/rows.ts'
import { entryId } from '../../../domain/address.ts'
import type { Plan } from './plan.ts'
import { dropHandle, planControl } from './plan.ts'

/** Opens a branch after a row, or from nothing, and makes it the head. @returns its id */
export function openFork(plan: Plan, row: StoredEntry | undefined): string {
  const fork = { branch: row?.branch ?? '', order: row?.order ?? '' }
  const opener = planControl(plan, 'branch', { fork, head: true }, fork.branch, row)
  dropHandle(plan)
  return entryId(opener.w, opener.s)
}
