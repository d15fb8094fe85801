import type { TurnRef } from '../contract/entry.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { RowSum } from '../contract/sums.ts'
import { writerKey } from './address.ts'
import { tokensOf } from './tokens-of.ts'
import { rowMessage } from './view-state.ts'

export const emptySum: RowSum = { rows: 0, shown: 0, messages: 0, tokens: 0, questions: 0, at: 0, writers: {} }

/** The sum with one more row. */
export function addRow<Sum extends RowSum>(sum: Sum, row: StoredEntry): Sum {
  const writer = writerKey(row.w)
  const [first, next] = sum.writers[writer] ?? [row.s, row.s + 1]
  return {
    ...addOpener(addContent(sum, row, 1), row.turn),
    rows: sum.rows + 1,
    at: Math.max(sum.at, row.at),
    writers: { ...sum.writers, [writer]: [Math.min(first, row.s), Math.max(next, row.s + 1)] },
  }
}

/** Remembers the opener of a row's turn when it is in another sum. */
function addOpener<Sum extends RowSum>(sum: Sum, turn: TurnRef | undefined): Sum {
  if (turn === undefined) return sum
  const writer = writerKey(turn.w)
  const known = Math.min(sum.writers[writer]?.[0] ?? Infinity, sum.openers?.[writer] ?? Infinity)
  return turn.s < known ? { ...sum, openers: { ...sum.openers, [writer]: turn.s } } : sum
}

/** The sum after an edit of one of its rows. */
export function editRow<Sum extends RowSum>(sum: Sum, before: StoredEntry, after: StoredEntry): Sum {
  return addContent(addContent(sum, before, -1), after, 1)
}

function addContent<Sum extends RowSum>(sum: Sum, row: StoredEntry, times: 1 | -1): Sum {
  if (row.edit?.value === null) return sum
  const message = rowMessage(row)
  const shown = sum.shown + times
  if (message === undefined) return { ...sum, shown }
  return {
    ...sum,
    shown,
    messages: sum.messages + times,
    tokens: sum.tokens + times * tokensOf(message),
    questions: sum.questions + (message.role === 'user' ? times : 0),
  }
}

/** The sum of both. */
export function joinSums(a: RowSum, b: RowSum): RowSum {
  const writers: Record<string, readonly [number, number]> = { ...a.writers }
  for (const [writer, [first, next]] of Object.entries(b.writers)) {
    const [least, most] = writers[writer] ?? [first, next]
    writers[writer] = [Math.min(least, first), Math.max(most, next)]
  }
  const openers: Record<string, number> = { ...a.openers }
  for (const [writer, first] of Object.entries(b.openers ?? {}))
    if (first < Math.min(a.writers[writer]?.[0] ?? Infinity, openers[writer] ?? Infinity)) openers[writer] = first
  return {
    ...(Object.keys(openers).length === 0 ? {} : { openers }),
    rows: a.rows + b.rows,
    shown: a.shown + b.shown,
    messages: a.messages + b.messages,
    tokens: a.tokens + b.tokens,
    questions: a.questions + b.questions,
    at: Math.max(a.at, b.at),
    writers,
  }
}
