import type { TurnRef } from '../contract/entry.ts'
import type { Message } from '../contract/message.ts'
import type { StoredEntry, TailState } from '../contract/rows.ts'
import { callIds, resultIds } from './tool-calls.ts'

/** The turn an entry belongs to; its own when it opens one. */
export function turnOf(entry: Pick<StoredEntry, 'turn' | 'clock' | 'w' | 's'>): TurnRef {
  return entry.turn ?? { hp: entry.clock.hp, hc: entry.clock.hc, w: entry.w, s: entry.s }
}

export function isSameTurn(a: TurnRef, b: TurnRef): boolean {
  return a.w === b.w && a.s === b.s && a.hp === b.hp && a.hc === b.hc
}

/** The tail after one more visible entry of the line: the entry with the greatest order, and the open calls of its turn. */
export function extendTail(tail: TailState | undefined, row: StoredEntry): TailState {
  const turn = turnOf(row)
  const message = row.type === 'message' ? (row.data['message'] as Message) : undefined
  const calls = message === undefined ? [] : callIds(message)
  const results = message === undefined ? [] : resultIds(message)
  const sameTurn = tail !== undefined && isSameTurn(tail.turn, turn)
  if (tail !== undefined && !sameTurn && row.order < tail.order) return tail
  const open = [...(sameTurn ? tail.open : []), ...calls]
  const early = [...(sameTurn ? tail.early : []), ...results]
  const answered = early.filter((id) => open.includes(id))
  const calledAndAnswered = { open: open.filter((id) => !answered.includes(id)), early: early.filter((id) => !answered.includes(id)) }
  if (sameTurn && row.order < tail.order) return { ...tail, ...calledAndAnswered }
  return { branch: row.branch, order: row.order, turn, w: row.w, ...(row.run === undefined ? {} : { run: row.run }), ...calledAndAnswered }
}
