import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { EditMark, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { DraftWrite, SessionWrite } from '../../../contract/write-batch.ts'
import { arrive } from '../../../domain/arrive.ts'
import { isControl } from '../../../domain/control.ts'
import { editKey } from '../../../domain/fold.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { utf8Length } from '../../../domain/utf8.ts'
import { beginWork, type Work } from '../../../domain/work.ts'
import type { PlannedEntry, Writer } from '../../../domain/writer.ts'
import { isBehind, writeControl, writeLine } from '../../../domain/writer.ts'

/** One session's change while it is planned: entries arrive in memory, and the writes are collected. */
export interface Plan {
  readonly base: SessionRows
  work: Work
  writer: Writer
  readonly now: number
  /** New rows in order of arrival. */
  rows: StoredEntry[]
  marks: { readonly branch: string; readonly order: string; readonly mark: EditMark }[]
  /** Without a branch: control entries. */
  erase: { readonly branch?: string; readonly order: string }[]
  drafts: DraftWrite[]
  addAliases: string[]
  dropAliases: string[]
  operations: OperationRow[]
  /** The changes of the sums of stretches. */
  sums: Pick<SessionWrite, 'insert' | 'erase'>
  /** The blobs that erased entries named, and how many of these entries. */
  unnamed: Map<string, number>
  /** Whether a control entry arrived, or a copy of a row, so that readers must read again. */
  reload: boolean
  /** Whether the entries come from elsewhere, so that they may fall anywhere. */
  isMerge: boolean
}

export function beginPlan(base: SessionRows, writer: Writer, now: number): Plan {
  return {
    base,
    work: beginWork(base),
    writer,
    now,
    rows: [],
    marks: [],
    erase: [],
    drafts: [],
    addAliases: [],
    dropAliases: [],
    operations: [],
    unnamed: new Map(),
    sums: { insert: [], erase: [] },
    reload: false,
    isMerge: false,
  }
}

/** The size of a plan. When it is unchanged, nothing was added. */
export function sizeOfPlan({ rows, marks, erase, drafts, addAliases, dropAliases }: Plan): number {
  return rows.length + marks.length + erase.length + drafts.length + addAliases.length + dropAliases.length
}

/**
 * Appends a line entry by the writer's rules. @param tail - the last visible row of the line, unless it is the head
 * line and the hot row knows its tail
 */
export function planLine(
  plan: Plan,
  plannedEntry: PlannedEntry,
  bytes: number,
  branch: string,
  tail?: LineTail,
): Entry {
  const { work, writer } = plan
  const { hot } = work
  const known =
    tail ?? (branch === hot.head && hot.tail !== undefined ? { ...hot.tail, lineEnd: hot.lineEnd } : undefined)
  const { entry, handle } = writeLine(work, writer, plannedEntry, branch, known, plan.now)
  plan.writer = { ...writer, handle }
  takeIn(plan, entry, bytes)
  return entry
}

/**
 * Ends the writer's open turn if the line has a later one: a caller that names the end of the line wants what it appends
 * to come after that. @param tail - as for `planLine`
 */
export function leaveEarlierTurn(plan: Plan, first: PlannedEntry, branch: string, tail?: LineTail): void {
  const { hot } = plan.work
  const { handle } = plan.writer
  const known = tail ?? (branch === hot.head ? hot.tail : undefined)
  if (handle?.branch === branch && isBehind(handle, first, known)) dropHandle(plan)
}

/** Adds a control entry. @param target - the row an edit names or a branch leaves after */
export function planControl(plan: Plan, type: string, data: JsonObject, branch: string, target?: StoredEntry): Entry {
  const entry = writeControl(plan.work, plan.writer.w, type, data, branch, plan.now)
  takeIn(plan, entry, utf8Length(JSON.stringify(data)), target)
  return entry
}

/** Ends the writer's open turn. The next entry opens a new one, or continues the line's last. */
export function dropHandle(plan: Plan): void {
  plan.writer = { w: plan.writer.w }
}

export function takeIn(plan: Plan, entry: Entry, bytes: number, target?: StoredEntry, hasCopy = false): void {
  const { row, mark } = arrive(plan.work, entry, bytes, target, hasCopy)
  if ((isControl(entry.type) && !isOfCheckpoint(entry)) || hasCopy) plan.reload = true
  if (row !== undefined) plan.rows.push(row)
  if (mark !== undefined) plan.marks.push(mark)
}

/** Whether an entry makes or deletes a checkpoint. No page shows that, so that no page needs to read again. */
function isOfCheckpoint({ type, data }: Entry): boolean {
  return (
    type === 'checkpoint' ||
    (type === 'meta' && (data['target'] as JsonObject | undefined)?.['checkpoint'] !== undefined)
  )
}

/** Entries of this plan by place, with the edits of this plan applied. */
export function plannedRows(plan: Plan): ReadonlyMap<string, StoredEntry> {
  const rows = new Map(plan.rows.map((row) => [editKey(row.branch, row.order), row]))
  for (const { branch, order, mark } of plan.marks) {
    const row = rows.get(editKey(branch, order))
    if (row !== undefined && !isControl(row.type)) rows.set(editKey(branch, order), { ...row, edit: mark })
  }
  return rows
}

/** Whether there is nothing to store. */
export function isEmptyPlan(plan: Plan): boolean {
  return sizeOfPlan(plan) + plan.operations.length === 0
}
