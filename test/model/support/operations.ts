import type { Entry, Fork } from '../../../src/contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../src/contract/json.ts'
import type { Message } from '../../../src/contract/message.ts'
import type { StoredEntry } from '../../../src/contract/rows.ts'
import { entryId } from '../../../src/domain/address.ts'
import { isControl } from '../../../src/domain/control.ts'
import { given } from '../../../src/domain/given.ts'
import { planHistory } from '../../../src/domain/history-diff.ts'
import { judgeEdits } from '../../../src/domain/judge-edits.ts'
import { orderEnd } from '../../../src/domain/order.ts'
import { judgePurge } from '../../../src/domain/purge.ts'
import { clearedSummary, judgeControls } from '../../../src/domain/purged-controls.ts'
import type { LineTail } from '../../../src/domain/tail.ts'
import { planTruncation } from '../../../src/domain/truncation.ts'
import { inRanges, rangesOf } from '../../../src/domain/version-vector.ts'
import { knownVector, ownPending } from '../../../src/domain/work.ts'
import type { PlannedEntry } from '../../../src/domain/writer.ts'
import { targetBranch, writeControl, writeLine } from '../../../src/domain/writer.ts'
import type { Device, Tab, Transaction } from './device.ts'
import { erase, readTail, readView, transact, valueOf } from './device.ts'

/** Who does something, and when. */
export interface Actor {
  readonly device: Device
  readonly tab: Tab
  /** True time in milliseconds; the device adds its skew. */
  readonly now: number
}

/** Appends line entries in one transaction: to the branch named, else where each belongs. */
export function append(actor: Actor, drafts: readonly PlannedEntry[], branch?: string): readonly Entry[] {
  return transact(actor.device, (transaction) => drafts.map((draft) => write(transaction, actor, draft, branch)))
}

function write({ device, work, take }: Transaction, { tab, now }: Actor, draft: PlannedEntry, named?: string): Entry {
  const branch = named ?? targetBranch(work, tab, draft)
  const tail = tailOf(device, work, branch)
  const { entry, handle } = writeLine(work, tab, draft, branch, tail, now + device.skew)
  tab.handle = handle
  take(entry)
  return entry
}

function tailOf(device: Device, { hot, cold }: Transaction['work'], branch: string): LineTail | undefined {
  const now = { ...device, rows: { hot, cold } }
  const isHead = branch === hot.head
  const tail = isHead && hot.tail !== undefined ? hot.tail : readTail(now, branch)
  return tail && { ...tail, lineEnd: isHead ? hot.lineEnd : readView(now, branch, 'raw').at(-1)!.order }
}

function control(
  { device, work, take }: Transaction,
  { tab, now }: Actor,
  type: string,
  data: JsonObject,
  branch: string,
): Entry {
  const entry = writeControl(work, tab.w, type, data, branch, now + device.skew)
  take(entry)
  return entry
}

/** Opens a branch, and appends to it in the same transaction. */
export function openBranch(actor: Actor, fork: Fork, head = true, drafts: readonly PlannedEntry[] = []): string {
  return transact(actor.device, (transaction) => {
    actor.tab.handle = undefined
    const { w, s } = control(transaction, actor, 'branch', { fork: fork as unknown as JsonObject, head }, fork.branch)
    const branch = entryId(w, s)
    for (const draft of drafts) write(transaction, actor, draft, branch)
    return branch
  })
}

export function switchTo(actor: Actor, branch: string): void {
  actor.tab.handle = undefined
  transact(actor.device, (transaction) => control(transaction, actor, 'head', { branch }, branch))
}

export function deleteBranch(actor: Actor, branch: string, deleted = true): void {
  transact(actor.device, (transaction) =>
    control(transaction, actor, 'meta', { set: { deleted }, target: { branch } }, ''),
  )
}

export function setMeta(actor: Actor, set: Record<string, JsonValue>): void {
  transact(actor.device, (transaction) => control(transaction, actor, 'meta', { set }, ''))
}

/** Hides all but the last messages of a line's context. */
export function truncate(actor: Actor, keepLast: number, branch = actor.device.rows.hot.head): void {
  const messages = readView(actor.device, branch, 'context').filter(({ type }) => type === 'message')
  const order = planTruncation(messages.toReversed(), keepLast)
  if (order !== undefined) transact(actor.device, (transaction) => cut(transaction, actor, order, branch))
}

function cut(
  transaction: Transaction,
  actor: Actor,
  order: string,
  branch: string,
  vv = knownVector(transaction.work),
): void {
  control(transaction, actor, 'cut', { order, vv }, branch)
}

export function clear(actor: Actor): void {
  actor.tab.handle = undefined
  transact(actor.device, (transaction) => {
    const data = { order: orderEnd, vv: knownVector(transaction.work), clears: true }
    control(transaction, actor, 'cut', data, transaction.work.hot.head)
  })
}

/** Lets a summary stand for all but the last messages of the head line's context. */
export function compact(actor: Actor, summary: string, keepLast: number): void {
  const { head } = actor.device.rows.hot
  const context = readView(actor.device, head, 'context')
  const end = planTruncation(context.filter(({ type }) => type === 'message').toReversed(), keepLast)
  if (end === undefined) return
  const order = end.endsWith(orderEnd) ? context.findLast((row) => row.order < end)!.order : end
  transact(actor.device, (transaction) =>
    control(transaction, actor, 'compaction', { order, vv: knownVector(transaction.work), summary }, head),
  )
}

export function edit(
  actor: Actor,
  target: { readonly branch: string; readonly order: string },
  value: JsonObject | null,
): void {
  const { branch, order } = target
  transact(actor.device, (transaction) => control(transaction, actor, 'edit', { branch, order, value }, branch))
}

export function checkpoint(actor: Actor): string {
  const { device } = actor
  const { head, lineEnd } = device.rows.hot
  return transact(device, (transaction) => {
    const { w, s } = control(
      transaction,
      actor,
      'checkpoint',
      { branch: head, order: lineEnd, vv: knownVector(transaction.work) },
      head,
    )
    return entryId(w, s)
  })
}

export function restore(actor: Actor, id: string): string {
  const { branch, order, vv, clock } = actor.device.rows.cold.checkpoints[id]!
  return openBranch(actor, { branch, order, vv, cuts: clock })
}

export function deleteSession(actor: Actor): void {
  transact(actor.device, (transaction) =>
    control(transaction, actor, 'delete', { vv: knownVector(transaction.work) }, ''),
  )
}

export function undelete(actor: Actor): void {
  transact(actor.device, (transaction) => control(transaction, actor, 'undelete', {}, ''))
}

/** A new append by key to a deleted session: it starts afresh. */
export function startAfresh(actor: Actor, drafts: readonly PlannedEntry[]): void {
  actor.tab.handle = undefined
  transact(actor.device, (transaction) => {
    cut(transaction, actor, orderEnd, transaction.work.hot.head)
    control(transaction, actor, 'meta', { set: { restartedAt: actor.now + actor.device.skew } }, '')
    control(transaction, actor, 'undelete', {}, '')
    for (const draft of drafts) write(transaction, actor, draft)
  })
}

/** Reclaims what nothing shows. */
export function purge(actor: Actor): void {
  const { device } = actor
  const summary = clearedSummary(device.rows.cold)
  const { found, over } = findErasable(device)
  const fresh = found.filter(({ w, s }) => !inRanges(device.rows.cold.purged, w, s))
  if (fresh.length > 0)
    transact(device, (transaction) => {
      const controls = rangesOf(fresh.filter(({ type }) => isControl(type)))
      const data = given({ ranges: rangesOf(fresh), controls, summary })
      control(transaction, actor, 'purge', data as unknown as JsonObject, '')
      for (const target of over) delete ownPending(transaction.work)[target]
    })
  erase(device, found)
}

/** What nothing shows, and the targets of pending edits that are among it. */
function findErasable({ rows: { cold }, stored, controls }: Device): {
  readonly found: readonly StoredEntry[]
  readonly over: readonly string[]
} {
  const found: StoredEntry[] = []
  const edits = judgeEdits(
    cold,
    (edit: StoredEntry) => edit,
    (edit) => void found.push(edit),
  )
  const judge = judgePurge<StoredEntry>(cold, (row) => {
    edits.gone(row)
    found.push(row)
  })
  const isGone = judgeControls(cold)
  for (const entry of [...controls.values()].sort((a, b) => (a.order < b.order ? -1 : 1))) {
    edits.control(entry)
    if (isGone(entry)) found.push(entry)
  }
  for (const row of stored.values()) {
    edits.row(row)
    judge(row)
  }
  return { over: edits.finish(), found }
}

/** Makes the history of the head line equal to a list. */
export function setHistory(actor: Actor, messages: readonly Message[]): void {
  const { device, tab } = actor
  const { head } = device.rows.hot
  const rows = readView(device, head, 'context').filter(({ type }) => type === 'message')
  const { from, to, appendFrom } = planHistory(
    rows.map((row) => valueOf(row)!['message'] as Message),
    messages,
  )
  tab.handle = undefined
  transact(device, (transaction) => {
    const known = knownVector(transaction.work)
    if (from > 0)
      for (const { branch, order } of rows.slice(from, to))
        control(transaction, actor, 'edit', { branch, order, value: null }, branch)
    for (const message of messages.slice(appendFrom)) {
      const draft = { type: 'message', data: { message: message as unknown as JsonObject }, at: 1 }
      const { entry, handle } = writeLine(transaction.work, tab, draft, head, undefined, actor.now + device.skew)
      tab.handle = handle
      transaction.take(entry)
    }
    const order = from === 0 && to > 0 ? planTruncation(rows.toReversed(), rows.length - to) : undefined
    if (order !== undefined) cut(transaction, actor, order, head, known)
  })
  tab.handle = undefined
}
