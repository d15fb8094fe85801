import type { Clock, Entry, TurnRef } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import type { SessionRows, TailState } from '../contract/rows.ts'
import { compareClocks, tick } from './clock.ts'
import { isCut, lineOf, segmentOf } from './line.ts'
import { turnKey } from './order.ts'
import { sealEntry } from './seal.ts'
import { isSameTurn, type LineTail, openCalls, turnOf } from './tail.ts'
import { resultIds } from './tool-calls.ts'
import type { Work } from './work.ts'
import { nextSequence } from './work.ts'

/** The current turn of a writer. It is bound to its branch: a continuation goes there, wherever the head is by now. */
export interface TurnHandle {
  readonly branch: string
  readonly turn: TurnRef
  /** Clock of the writer's own run; absent in the first run of its own turn. */
  readonly run?: Clock
  readonly open: readonly string[]
  /** Its writer has answered it: what it wrote there last is a reply that calls nothing. */
  readonly isAnswered?: true
}

/** The id of a writer, drawn at random for each boot and session. */
export interface Writer {
  readonly w: number
  readonly handle?: TurnHandle | undefined
}

/** A line entry to write. */
export interface PlannedEntry {
  readonly type: string
  readonly data: JsonObject
  readonly at: number
  /** The checksum of `data`, if known. */
  readonly crc?: number
}

/**
 * Whether an input starts a new turn by itself: a user's message, but not a tool result that some providers give the
 * user's role.
 */
export function opensTurn(type: string, data: JsonObject): boolean {
  if (type !== 'message') return false
  const message = data['message'] as Message
  return message.role === 'user' && resultIds(message).length === 0
}

/** The branch of an input that names none: that of a turn which is not answered yet, otherwise the head. */
export function targetBranch(
  { hot }: Pick<Work, 'hot'> | SessionRows,
  writer: Writer,
  plannedEntry: PlannedEntry,
): string {
  const { handle } = writer
  return handle === undefined || handle.isAnswered === true || opensTurn(plannedEntry.type, plannedEntry.data)
    ? hot.head
    : handle.branch
}

/** The turn of a reply that a writer begins on a branch. @param tail - the last visible row of that line, if known */
export function turnOfReply({ handle }: Writer, branch: string, tail: TailState | undefined): TurnRef | undefined {
  const known = tail?.branch === branch ? tail.turn : undefined
  if (handle?.branch !== branch) return known
  return handle.isAnswered === true && hasLaterTurn(tail, handle) ? known : handle.turn
}

/**
 * The writer as it stores a reply that was begun in a turn, which may be in the middle of the line by now, or another
 * writer's.
 */
export function writerInTurn(writer: Writer, branch: string, turn: TurnRef, run: Clock): Writer {
  const { handle } = writer
  if (handle === undefined || handle.branch !== branch || !isSameTurn(handle.turn, turn))
    return { w: writer.w, handle: { branch, turn, run, open: [] } }
  const { isAnswered: _, ...unanswered } = handle
  return { w: writer.w, handle: unanswered }
}

/** Whether a writer continues its turn on a branch, whatever else is on the line. */
export const isWithinTurn = ({ handle }: Writer, branch: string): boolean =>
  handle?.branch === branch && handle.isAnswered !== true

/**
 * Makes the next line entry of a writer by the rules below.
 *
 * @param tail - the last visible row of the target line; needed when the writer is not within a turn there
 * @param now - milliseconds since 1970
 * @returns the entry and the writer's turn after it
 */
export function writeLine(
  work: Work,
  writer: Writer,
  plannedEntry: PlannedEntry,
  branch: string,
  tail: LineTail | undefined,
  now: number,
): { readonly entry: Entry; readonly handle: TurnHandle } {
  const { w } = writer
  const { type, data, at } = plannedEntry
  const clock = tick(work.hot.clock, now)
  const base = { w, s: nextSequence(work, w), branch, type, data, at, clock }
  const handle = opensTurn(type, data) ? undefined : continuation(work, writer, plannedEntry, branch, tail, clock)
  if (handle !== undefined) {
    const entry = sealEntry(
      { ...base, turn: handle.turn, ...(handle.run === undefined ? {} : { run: handle.run }) },
      plannedEntry.crc,
    )
    // A result stays next to its call even when both are hidden. Any other entry must be visible once it is
    // acknowledged.
    if (answersAny(handle.open, plannedEntry) || !isHidden(work, branch, entry))
      return { entry, handle: handleAfter(handle, plannedEntry) }
  }
  const entry = sealEntry(base, plannedEntry.crc)
  return { entry, handle: handleAfter({ branch, turn: turnOf(entry), open: [] }, plannedEntry) }
}

/** A turn after one more entry of its writer. */
function handleAfter({ isAnswered, ...handle }: TurnHandle, { type, data }: PlannedEntry): TurnHandle {
  const open = openCalls(handle.open, type, data)
  const isReply = type === 'message' && !opensTurn(type, data) && resultIds(data['message']).length === 0
  const answered = type === 'message' ? isReply && open.length === 0 : isAnswered === true
  return { ...handle, open, ...(answered ? { isAnswered: true } : {}) }
}

function answersAny(open: readonly string[], { type, data }: PlannedEntry): boolean {
  return type === 'message' && resultIds(data['message']).some((id) => open.includes(id))
}

function isHidden(work: Work, branch: string, entry: Entry): boolean {
  const line = branch === work.line.branch ? work.line : lineOf(work.cold, branch)
  const segment = line === undefined ? -1 : segmentOf(line, entry)
  return line === undefined ? false : segment < 0 || isCut(line, segment, entry)
}

/** The turn and run to continue, or `undefined` when there is none on this branch. */
function continuation(
  work: Work,
  writer: Writer,
  plannedEntry: PlannedEntry,
  branch: string,
  tail: LineTail | undefined,
  clock: Clock,
): TurnHandle | undefined {
  const own = writer.handle
  if (own !== undefined && own.branch === branch && !isLeft(own, plannedEntry, tail)) {
    const last = work.hot.tail
    const isLastHere = last !== undefined && last.w === writer.w && isSameTurn(last.turn, own.turn)
    // The run is kept while calls are open or nobody else wrote to the turn. A later run keeps calls next to their
    // results.
    return own.open.length > 0 || isLastHere ? own : { ...own, run: clock }
  }
  // The turn of another writer is continued. A turn of another branch can't be: it sorts before this branch's opener.
  if (tail === undefined || tail.branch !== branch) return undefined
  // Later turns were removed. A continuation of this turn would sort before them, and so appear on branches that left
  // there as well.
  if (turnKey(tail.order) !== turnKey(tail.lineEnd) && !answersAny(tail.open, plannedEntry)) return undefined
  return { branch, turn: tail.turn, run: clock, open: tail.open }
}

/**
 * Whether a writer has done with its turn: it answered it, and the line has a later one, or what it writes answers calls
 * of that one. A tab that answers for others would otherwise put its reply in front of the question.
 */
function isLeft(own: TurnHandle, plannedEntry: PlannedEntry, tail: LineTail | undefined): boolean {
  if (!isBehind(own, plannedEntry, tail)) return false
  return own.isAnswered === true || answersAny(tail!.open, plannedEntry)
}

/** Whether the line has a later turn than a writer's, and what it writes answers no call of its own. */
export function isBehind(own: TurnHandle, plannedEntry: PlannedEntry, tail: TailState | undefined): boolean {
  return hasLaterTurn(tail, own) && !answersAny(own.open, plannedEntry)
}

const hasLaterTurn = (tail: TailState | undefined, own: TurnHandle): tail is TailState =>
  tail?.branch === own.branch && compareClocks(tail.turn, own.turn) > 0

/** Makes a control entry. It always opens its own turn, and so sorts after everything seen. */
export function writeControl(
  work: Work,
  w: number,
  type: string,
  data: JsonObject,
  branch: string,
  now: number,
): Entry {
  return sealEntry({ w, s: nextSequence(work, w), branch, type, data, at: now, clock: tick(work.hot.clock, now) })
}
