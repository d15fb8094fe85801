import { isSessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store.ts'
import { coveringVector } from '../../domain/covering-vector.ts'
import type { WholeHistory } from './read-whole-history.ts'

export interface Boundary {
  readonly summary: string
  /** Index of the first message that stays as it is; the history's length when none does. */
  readonly start: number
  /** Messages that stay though they stand before. */
  readonly kept?: readonly Message[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly details: JsonObject
}

/**
 * Stores a summary for what stands before a boundary, as one entry: PicoClaw sets summary and count apart, so that messages which come in
 * between are in neither. What was appended since the history was read stays.
 *
 * @returns false when another compaction was stored meanwhile
 */
export async function storeBoundary(store: SessionStore, key: string, { context: { entries, hidden, branch }, items }: WholeHistory, boundary: Boundary): Promise<boolean> {
  const { summary, start, kept = [], tokensBefore, tokensAfter, details } = boundary
  const stays = items.slice(start)
  const first = stays.find(({ entry }) => entry !== undefined)?.entry
  const messages = [...kept, ...stays.flatMap(({ message, entry }) => (entry === undefined ? [message] : []))]
  try {
    await store.setCompaction(key, {
      summary,
      branch,
      ...(messages.length === 0 ? {} : { messages }),
      ...(first === undefined ? { keepLast: 0 } : { firstKept: { branch: first.branch, order: first.order } }),
      covers: coveringVector(entries.filter(({ order }) => first === undefined || order < first.order)),
      replaces: hidden.compaction ?? null,
      tokensBefore,
      tokensAfter,
      details,
    })
    return true
  } catch (error) {
    if (isSessionError(error, 'ParentMoved')) return false
    throw error
  }
}
