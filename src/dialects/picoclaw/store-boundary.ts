import { basisOf } from '../../client/context/basis-of.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { WholeHistory } from './read-whole-history.ts'

export interface Boundary {
  readonly summary: string
  /** Index of the first message that stays as it is; the history's length when none does. */
  readonly start: number
  /** Messages before {@link start} that stay nevertheless. */
  readonly kept?: readonly Message[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly details: JsonObject
}

/**
 * Stores a summary for the messages before a boundary, as one entry. PicoClaw sets summary and count separately, so
 * that messages which arrive in between are lost. Entries that were appended since the history was read stay.
 *
 * @returns false when those messages were hidden, changed or summarised in the meantime
 */
export async function storeBoundary(
  store: SessionStore,
  key: string,
  { context, items }: WholeHistory,
  boundary: Boundary,
): Promise<boolean> {
  const { summary, start, kept = [], tokensBefore, tokensAfter, details } = boundary
  const stays = items.slice(start)
  const first = stays.find(({ entry }) => entry !== undefined)?.entry
  const messages = [...kept, ...stays.flatMap(({ message, entry }) => (entry === undefined ? [message] : []))]
  try {
    await store.setCompaction(key, {
      summary,
      ...(await basisOf(
        context,
        context.entries.filter(({ order }) => first === undefined || order < first.order),
      )),
      ...(messages.length === 0 ? {} : { messages }),
      ...(first === undefined ? { keepLast: 0 } : { firstKept: { branch: first.branch, order: first.order } }),
      tokensBefore,
      tokensAfter,
      details,
    })
    return true
  } catch (error) {
    if (isSessionError(error, 'ParentMoved') || isSessionError(error, 'SessionNotFound')) return false
    throw error
  }
}
