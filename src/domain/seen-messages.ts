import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import type { ColdRow, SeenMessages, SeenState } from '../contract/rows.ts'
import { entryId } from './address.ts'
import type { Placed } from './line.ts'
import { createSha256, withText } from './sha256.ts'

/** Nothing was seen yet. */
export const nothingSeen = (): SeenState => createSeenCounter().state()

/**
 * Counts the messages that a checkpoint sees: those of the line in reading order that no cut hides, including removed
 * ones, because a removal may come and go.
 */
export interface SeenCounter {
  add(message: Placed): void
  /** The progress so far, from which another counter can continue. */
  state(): SeenState
  /**
   * The checksum of the messages so far, with which a restore can find out whether all of them are still there. It is
   * Aixgo's checksum: the SHA-256 of their ids one after the other.
   *
   * @param purged - entries that were purged by now: so many messages may be missing, control entries not counted
   */
  total(vv: VersionVector, purged: Pick<ColdRow, 'purged' | 'purgedControls'>): SeenMessages
}

export function createSeenCounter(from?: SeenState): SeenCounter {
  const hash = createSha256(from?.digest)
  const encoder = new TextEncoder()
  let messages = from?.messages ?? 0
  return {
    add: ({ w, s }) => {
      hash.update(encoder.encode(entryId(w, s)))
      messages++
    },
    state: () => ({ messages, digest: hash.state() }),
    total: (vv, { purged, purgedControls = {} }) => ({
      checksum: hash.hex(),
      messages,
      erased: countCovered(vv, purged) - countCovered(vv, purgedControls),
    }),
  }
}

/**
 * Whether the messages that a checkpoint saw are still there: exactly, or without messages that were erased since.
 * Nobody knows which ones were erased, so that then only their number can be checked.
 */
export function isStillThere(then: SeenMessages, now: SeenMessages): boolean {
  const missing = then.messages - now.messages
  return missing === 0 ? then.checksum === now.checksum : missing > 0 && missing <= now.erased - then.erased
}

/** The state after one more message. */
export function seeMessage(seen: SeenState, message: Placed): SeenState {
  return { messages: seen.messages + 1, digest: withText(seen.digest, entryId(message.w, message.s)) }
}

/** How many of the entries in ranges a vector covers. */
function countCovered(vv: VersionVector, all: SequenceRanges): number {
  let count = 0
  for (const [writer, ranges] of Object.entries(all)) {
    for (const [from, to] of ranges) count += Math.max(0, Math.min(to, vv[writer] ?? 0) - from)
  }
  return count
}
