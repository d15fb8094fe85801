import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isHard } from './strictest.ts'

export interface DurabilityTracker extends Pick<SessionStore, 'flush' | 'unflushed'> {
  /** The same backend with counted commits. */
  readonly backend: CoreBackend
  /** Another tab has stored something. */
  noteForeignCommit(isStrict: boolean): void
}

/**
 * Counts the commits that a power loss would undo. A strict commit also makes all earlier commits durable, whoever made
 * them: every browser keeps a database in files of its own (Chromium one log for the whole origin, Firefox and WebKit
 * one SQLite log), and flushing a commit writes such a file up to that point. Between two databases nothing is
 * promised, so that each tracks its own.
 *
 * @param isFollowed - whether `heard` is called; otherwise the commits of others are unknown, and each flush writes
 */
export function trackDurability(given: CoreBackend, now: () => number, isFollowed: boolean): DurabilityTracker {
  if (given.flush === undefined)
    return {
      backend: given,
      noteForeignCommit: () => undefined,
      flush: () => Promise.resolve(),
      unflushed: async () => undefined,
    }
  const flushPlace = given.flush.bind(given)
  /**
   * The number of commits so far, and how many of them are durable. Earlier ones count as one commit, because their
   * durability is unknown.
   */
  let made = 1
  let hard = 0
  let since = now()

  function add(): void {
    if (made === hard) since = now()
    made++
  }
  async function harden<T>(commit: () => Promise<T>, isStored: (outcome: T) => boolean): Promise<T> {
    const [before, startedAt] = [made, now()]
    const outcome = await commit()
    if (isStored(outcome) && before > hard) {
      hard = before
      since = startedAt
    }
    return outcome
  }

  return {
    backend: {
      ...given,
      commit: async (batch, durability) => {
        if (isHard(durability))
          return harden(
            () => given.commit(batch, durability),
            ({ stored }) => stored,
          )
        const outcome = await given.commit(batch, durability)
        if (outcome.stored) add()
        return outcome
      },
    },
    noteForeignCommit: (isStrict) => isStrict || add(),
    flush: async () => {
      if (made > hard || !isFollowed) await harden(flushPlace, () => true)
      else await given.fold?.()
    },
    unflushed: async () => (made === hard ? undefined : { commits: made - hard, since }),
  }
}
