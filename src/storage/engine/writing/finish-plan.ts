import { controlLane, recordCapacity } from '../../../contract/backend.ts'
import type { ReferenceChange } from '../../../contract/blob-references.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { LaneEntries, SessionWrite } from '../../../contract/write-batch.ts'
import { isControl } from '../../../domain/control.ts'
import { namedBlobs } from '../../../domain/named-blobs.ts'
import type { Plan } from './plan.ts'

/** The most writers with counts in the hot row, before these move to the cold one. */
const aheadLimit = 16

/**
 * How many operations are remembered, and how often the older ones are erased. Those of one commit are all kept, however
 * many: when its answer is lost, all of its calls are repeated.
 */
const operationsKept = 1024
const pruneEvery = 256

/**
 * The most operations that wait in the hot row, so that not every commit writes a row of operations; and the longest
 * results that may wait, because each commit writes them again.
 */
const recentLimit = 4
const recentLength = 1024

const none: SessionRows['hot']['pack'] = { from: '', count: 0 }

/** The rows after a plan, and the write that stores it. */
export interface FinishedPlan {
  readonly rows: SessionRows
  readonly write: SessionWrite
}

export function finishPlan(plan: Plan): FinishedPlan {
  const { base, work } = plan
  const version = base.hot.version + 1
  const pack = packOf(plan)
  const isFull = Object.keys(work.hot.ahead).length > aheadLimit
  const coldChanged = work.coldChanged || isFull || version === 1
  const vv = { ...work.cold.vv, ...work.hot.ahead }
  const cold = coldChanged ? { ...work.cold, vv, version } : work.cold
  const operations = work.hot.operations + plan.operations.length
  const prunes =
    Math.floor(operations / pruneEvery) > Math.floor(work.hot.operations / pruneEvery) && operations > operationsKept
  const recent = [...work.hot.recent, ...plan.operations]
  const flushed =
    recent.length > recentLimit || isBulky(plan.operations)
      ? recent.slice(-Math.max(operationsKept, plan.operations.length))
      : []
  const hot = {
    ...work.hot,
    version,
    operations,
    pack: pack.state,
    // These are copies, because the caller will own the result of the call.
    recent: flushed.length > 0 ? [] : structuredClone(recent),
    coldVersion: coldChanged ? version : work.hot.coldVersion,
    ahead: coldChanged ? {} : work.hot.ahead,
  }
  const lanes = work.cold.lanes
  const references = referencesOf(plan)
  const { append, insert } = placeRows(plan)
  return {
    rows: { hot, cold },
    write: {
      hot,
      ...(coldChanged ? { cold } : {}),
      append,
      insert: [...insert, ...plan.sums.insert],
      edits: plan.marks.map(({ branch, order, mark }) => ({ lane: lanes[branch] ?? 0, order, mark })),
      erase: [...eraseByLane(plan), ...plan.sums.erase],
      ...(pack.range === undefined ? {} : { pack: { lane: lanes[hot.head] ?? 0, ...pack.range } }),
      operations: flushed,
      ...operationIdsOf(plan),
      ...(prunes ? { pruneOperations: Math.min(operations - operationsKept, work.hot.operations) } : {}),
      aliases: { add: plan.addAliases, drop: plan.dropAliases },
      drafts: plan.drafts,
      ...(references.length === 0 ? {} : { references }),
    },
  }
}

/** Whether operations are too large to wait in the hot row. */
function isBulky(operations: readonly OperationRow[]): boolean {
  return operations.some(({ result }) => result !== null && JSON.stringify(result).length > recentLength)
}

/**
 * An operation that is done again is not named: whoever finds its id stored finds the first content, and must not take
 * this one for a repetition.
 */
function operationIdsOf({ operations }: Plan): Pick<SessionWrite, 'operationIds'> {
  const ids = operations.filter(({ isRedone }) => isRedone !== true).map(({ id }) => id)
  return ids.length === 0 ? {} : { operationIds: ids }
}

/** The blobs that the entries of a plan name, minus those of the entries that it erases. */
function referencesOf({ rows, unnamed, now }: Plan): readonly ReferenceChange[] {
  const counts = new Map([...unnamed].map(([hash, count]) => [hash, -count]))
  for (const row of rows) for (const hash of namedBlobs(row)) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  return [...counts].map(([hash, by]) => ({ hash, by, at: now }))
}

function laneOf(plan: Plan, row: StoredEntry): number {
  return isControl(row.type) ? controlLane : (plan.work.cold.lanes[row.branch] ?? 0)
}

/** Rows that are known to lie at the end of their lane are appended; others are inserted. */
function placeRows(plan: Plan): { readonly append: readonly LaneEntries[]; readonly insert: readonly LaneEntries[] } {
  const appended = new Map<number, StoredEntry[]>()
  const inserted = new Map<number, StoredEntry[]>()
  for (const row of plan.rows) {
    const lane = laneOf(plan, row)
    const lists = isAtEnd(plan, row, lane) ? appended : inserted
    const list = lists.get(lane)
    if (list === undefined) lists.set(lane, [row])
    else list.push(row)
  }
  const sorted = (lists: Map<number, StoredEntry[]>): LaneEntries[] =>
    [...lists].map(([lane, entries]) => ({ lane, entries: entries.sort((a, b) => (a.order < b.order ? -1 : 1)) }))
  return { append: sorted(appended), insert: sorted(inserted) }
}

function isAtEnd({ base, isMerge }: Plan, row: StoredEntry, lane: number): boolean {
  const { hot, cold } = base
  if (hot.version === 0) return true
  // An own control entry is later than everything here.
  if (lane === controlLane) return !isMerge
  if (cold.lanes[row.branch] === undefined) return true
  return row.branch === hot.head && row.order > hot.lastOrder
}

/** The small records at the end of the head's lane after a plan, and those to join. */
function packOf({ base, work: { hot }, rows }: Plan): {
  readonly state: SessionRows['hot']['pack']
  readonly range?: { readonly from: string; readonly to?: string }
} {
  const { from, count } = hot.pack
  const end = from === '' ? base.hot.lastOrder : from
  // What another device wrote earlier lies among full records.
  const added = rows
    .filter((row) => row.branch === hot.head && !isControl(row.type) && row.order > end)
    .map(({ order }) => order)
    .sort()
  const [first] = added
  if (first === undefined) return { state: hot.pack }
  if (added.length < recordCapacity) {
    const all = { from: from === '' ? first : from, count: count + added.length }
    return all.count < recordCapacity ? { state: all } : { state: none, range: { from: all.from } }
  }
  // Most of it is full records. They are not among the small ones, which are few: a page is read from the first of
  // them on.
  const small = added.length % recordCapacity
  return {
    state: small === 0 ? none : { from: added[added.length - small]!, count: small },
    ...(from !== '' && from < first ? { range: { from, to: first } } : {}),
  }
}

function eraseByLane(plan: Plan): SessionWrite['erase'] {
  const lanes = new Map<number, string[]>()
  for (const { branch, order } of plan.erase) {
    const lane = branch === undefined ? controlLane : (plan.work.cold.lanes[branch] ?? 0)
    const list = lanes.get(lane)
    if (list === undefined) lanes.set(lane, [order])
    else list.push(order)
  }
  return [...lanes].map(([lane, orders]) => ({ lane, orders: orders.sort() }))
}
