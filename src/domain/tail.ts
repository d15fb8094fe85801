import type { TurnRef } from '../contract/entry.ts'
import type { Message } from '../contract/message.ts'
import type { StoredEntry, TailState } from '../contract/rows.ts'
import { callIds, resultIds } from './tool-calls.ts'

/** The tail of a line, and the final end of the line: there may be entries after the tail that nobody sees any more. */
export interface LineTail extends TailState {
  readonly lineEnd: string
}

/** The turn of an entry; the entry's own turn when it opens one. */
export function turnOf(entry: Pick<StoredEntry, 'turn' | 'clock' | 'w' | 's'>): TurnRef {
  return entry.turn ?? { hp: entry.clock.hp, hc: entry.clock.hc, w: entry.w, s: entry.s }
}

export function isSameTurn(a: TurnRef, b: TurnRef): boolean {
  return a.w === b.w && a.s === b.s && a.hp === b.hp && a.hc === b.hc
}

/** The open calls after one more message: its calls are added, and the calls that it answers are removed. */
export function openCalls(open: readonly string[], type: string, data: StoredEntry['data']): readonly string[] {
  if (type !== 'message') return open
  const message = data['message'] as Message
  const calls = callIds(message)
  const results = resultIds(message)
  return calls.length + results.length === 0 ? open : [...open, ...calls].filter((id) => !results.includes(id))
}

/** The tail after the next visible entry of the line. */
export function extendTail(tail: TailState | undefined, row: StoredEntry): TailState {
  const turn = turnOf(row)
  const before = tail !== undefined && isSameTurn(tail.turn, turn) ? tail.open : []
  const open = openCalls(before, row.type, row.edit?.value ?? row.data)
  return {
    branch: row.branch,
    order: row.order,
    turn,
    w: row.w,
    ...(row.run === undefined ? {} : { run: row.run }),
    open,
  }
}
