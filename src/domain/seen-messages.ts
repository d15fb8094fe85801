import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import type { SeenMessages, SeenState } from '../contract/rows.ts'
import { entryId } from './address.ts'
import type { Placed } from './line.ts'
import { createSha256 } from './sha256.ts'

/** Nothing was seen yet. */
export const nothingSeen = (): SeenState => createSeenCounter().state()

/** Takes in the messages that a checkpoint sees: of the line, in reading order, what no cut hides; removed ones too, because a removal may come and go. */
export interface SeenCounter {
  add(message: Placed): void
  /** How far it has come, so that another one can go on. */
  state(): SeenState
  /**
   * What it remembers of those that came so far, so that a restore can tell whether all of them are still there. Aixgo's checksum: the SHA-256
   * of their ids one after the other.
   *
   * @param purged - what was erased on purpose by now: such messages may be missing without anything being wrong
   */
  total(vv: VersionVector, purged: SequenceRanges): SeenMessages
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
    total: (vv, purged) => ({ checksum: hash.hex(), messages, erased: countErased(vv, purged) }),
  }
}

/**
 * Whether what a checkpoint saw is still there: exactly, or without messages that were erased since. Which ones those were nobody knows any
 * more, so that then only their number can be checked.
 */
export function isStillThere(then: SeenMessages, now: SeenMessages): boolean {
  const missing = then.messages - now.messages
  return missing === 0 ? then.checksum === now.checksum : missing > 0 && missing <= now.erased - then.erased
}

/** What is seen after one more message. */
export function seeMessage(seen: SeenState, message: Placed): SeenState {
  const counter = createSeenCounter(seen)
  counter.add(message)
  return counter.state()
}

/** How many of the entries a vector covers were erased. */
function countErased(vv: VersionVector, purged: SequenceRanges): number {
  let count = 0
  for (const [writer, ranges] of Object.entries(purged)) {
    for (const [from, to] of ranges) count += Math.max(0, Math.min(to, vv[writer] ?? 0) - from)
  }
  return count
}
