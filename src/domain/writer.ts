import type { Clock, Entry, TurnRef } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import type { SessionRows } from '../contract/rows.ts'
import { tick } from './clock.ts'
import { isCut, lineOf, segmentOf } from './line.ts'
import { turnKey } from './order.ts'
import { sealEntry } from './seal.ts'
import { isSameTurn, type LineTail, openCalls, turnOf } from './tail.ts'
import { resultIds } from './tool-calls.ts'
import type { Work } from './work.ts'
import { nextSequence } from './work.ts'

/** A turn this writer is in the middle of. Bound to its branch: a continuation goes there, wherever the head is by now. */
export interface TurnHandle {
  readonly branch: string
  readonly turn: TurnRef
  /** Clock of the writer's own run; absent in the first run of its own turn. */
  readonly run?: Clock
  readonly open: readonly string[]
}

/** Who writes: drawn at random for each boot and session. */
export interface Writer {
  readonly w: number
  readonly handle?: TurnHandle | undefined
}

/** A line entry to write. */
export interface LineDraft {
  readonly type: string
  readonly data: JsonObject
  readonly at: number
  /** The checksum of `data`, where that is at hand. */
  readonly crc?: number
}

/** Whether an input starts a new turn by itself: what a user says, but not a tool result that some providers give the user's role. */
export function opensTurn(type: string, data: JsonObject): boolean {
  if (type !== 'message') return false
  const message = data['message'] as Message
  return message.role === 'user' && resultIds(message).length === 0
}

/** The branch an input goes to when none is named: that of the open turn for a continuation, otherwise the head. */
export function targetBranch({ hot }: Pick<Work, 'hot'> | SessionRows, writer: Writer, draft: LineDraft): string {
  return writer.handle === undefined || opensTurn(draft.type, draft.data) ? hot.head : writer.handle.branch
}

/**
 * Makes the next line entry of a writer by the rules below.
 *
 * @param tail - the last visible row of the target line; only looked at when the writer has no turn of its own there
 * @param now - milliseconds since 1970
 * @returns the entry and the writer's turn after it
 */
export function writeLine(work: Work, writer: Writer, draft: LineDraft, branch: string, tail: LineTail | undefined, now: number): { readonly entry: Entry; readonly handle: TurnHandle } {
  const { w } = writer
  const { type, data, at } = draft
  const clock = tick(work.hot.clock, now)
  const base = { w, s: nextSequence(work, w), branch, type, data, at, clock }
  const handle = opensTurn(type, data) ? undefined : continuation(work, writer, draft, branch, tail, clock)
  if (handle !== undefined) {
    const entry = sealEntry({ ...base, turn: handle.turn, ...(handle.run === undefined ? {} : { run: handle.run }) }, draft.crc)
    // A result stays beside its call even when both are hidden; anything else must be visible once acknowledged.
    if (answersAny(handle.open, draft) || !isHidden(work, branch, entry)) return { entry, handle: { ...handle, open: openCalls(handle.open, type, data) } }
  }
  const entry = sealEntry(base, draft.crc)
  return { entry, handle: { branch, turn: turnOf(entry), open: openCalls([], type, data) } }
}

function answersAny(open: readonly string[], { type, data }: LineDraft): boolean {
  return type === 'message' && resultIds(data['message']).some((id) => open.includes(id))
}

function isHidden(work: Work, branch: string, entry: Entry): boolean {
  const line = branch === work.line.branch ? work.line : lineOf(work.cold, branch)
  const segment = line === undefined ? -1 : segmentOf(line, entry)
  return line === undefined ? false : segment < 0 || isCut(line, segment, entry)
}

/** The turn and run to continue, or `undefined` when there is none on this branch. */
function continuation(work: Work, writer: Writer, draft: LineDraft, branch: string, tail: LineTail | undefined, clock: Clock): TurnHandle | undefined {
  const own = writer.handle
  if (own !== undefined && own.branch === branch) {
    const last = work.hot.tail
    const isLastHere = last !== undefined && last.w === writer.w && isSameTurn(last.turn, own.turn)
    // Keep the run while calls are open or nobody else wrote to the turn; a later run keeps calls beside their results.
    return own.open.length > 0 || isLastHere ? own : { ...own, run: clock }
  }
  // A takeover. A turn of another branch can't be continued: it sorts before this branch's opener.
  if (tail === undefined || tail.branch !== branch) return undefined
  // Later turns were removed. What continued this one would sort before them, and so show on branches that left there as well.
  if (turnKey(tail.order) !== turnKey(tail.lineEnd) && !answersAny(tail.open, draft)) return undefined
  return { branch, turn: tail.turn, run: clock, open: tail.open }
}

/** Makes a control entry: it always opens its own turn and so sorts after everything seen. */
export function writeControl(work: Work, w: number, type: string, data: JsonObject, branch: string, now: number): Entry {
  return sealEntry({ w, s: nextSequence(work, w), branch, type, data, at: now, clock: tick(work.hot.clock, now) })
}
