import type { CoreBackend } from '../../contract/backend.ts'
import type { StoredEntry } from '../../contract/rows.ts'
import { editKey } from '../../domain/fold.ts'
import type { Line } from '../../domain/line.ts'
import { segmentOf } from '../../domain/line.ts'
import { settleReview } from '../../domain/review.ts'
import { isControl } from '../../domain/control.ts'
import { inRanges } from '../../domain/version-vector.ts'
import type { Plan } from './plan.ts'
import { plannedRows } from './plan.ts'
import { readLane } from './session-reader.ts'
import { pushAll } from '../../domain/push-all.ts'

/** Counts again what a plan's entries made uncertain: stored rows and those of the plan, with the plan's edits. */
export async function settlePlan(backend: CoreBackend, plan: Plan): Promise<void> {
  const { work } = plan
  const need = work.review
  if (need === undefined) return
  if (need.kind === 'subtract') {
    settleReview(work, await rowsAfter(backend, plan, need.line, need.after))
    return
  }
  const rows = await rowsAfter(backend, plan, work.line, need.after)
  settleReview(work, rows, need.after === '' ? await countNewer(backend, plan) : undefined)
}

async function rowsAfter(backend: CoreBackend, plan: Plan, line: Line, after: string): Promise<readonly StoredEntry[]> {
  const all: StoredEntry[] = []
  for (const segment of line.segments) {
    pushAll(all, (await laneRows(backend, plan, segment.branch, segment.after > after ? segment.after : after)).filter((row) => row.order <= segment.upTo))
  }
  return all
}

/** Rows of a branch's lane after an order: what is stored, and what the plan adds or edits. */
async function laneRows(backend: CoreBackend, plan: Plan, branch: string, after: string): Promise<readonly StoredEntry[]> {
  const lane = plan.base.cold.lanes[branch]
  const stored = lane === undefined || plan.base.hot.version === 0 ? [] : await readLane(backend, plan.base.hot.session, lane, after)
  const rows = new Map(stored.map((row) => [row.order, row]))
  for (const { branch: edited, order, mark } of plan.marks) {
    const row = edited === branch ? rows.get(order) : undefined
    if (row !== undefined && (row.edit === undefined || row.edit.order < mark.order)) rows.set(order, { ...row, edit: mark })
  }
  const planned = plannedRows(plan)
  for (const row of plan.rows) {
    if (row.branch === branch && row.order > after && !isControl(row.type)) rows.set(row.order, planned.get(editKey(branch, row.order)) ?? row)
  }
  for (const { branch: erased, order } of plan.erase) if (erased === branch) rows.delete(order)
  return [...rows.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
}

async function countNewer(backend: CoreBackend, plan: Plan): Promise<Record<string, number>> {
  const { work } = plan
  const since = work.cold.heads[work.hot.head] ?? ''
  const newer: Record<string, number> = {}
  for (const branch of Object.keys(work.cold.lanes)) {
    const rows = (await laneRows(backend, plan, branch, since)).filter((row) => segmentOf(work.line, row) < 0 && !inRanges(work.cold.purged, row.w, row.s))
    if (rows.length > 0) newer[branch] = rows.length
  }
  return newer
}
