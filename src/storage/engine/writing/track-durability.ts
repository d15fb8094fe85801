import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionStore } from '../../../contract/store.ts'
import { isHard } from './strictest.ts'

export interface DurabilityTracker extends Pick<SessionStore, 'flush' | 'unflushed'> {
  /** The same backend, whose commits are counted. */
  readonly backend: CoreBackend
  /** Another tab has stored something. */
  heard(isStrict: boolean): void
}

/**
 * Counts the commits that power loss would take. A strict commit takes those along that were stored before it began, whoever made them: every
 * browser keeps a database in files of its own (Chromium one log for the whole origin, Firefox and WebKit one SQLite log), and to harden a
 * commit is to write such a file out up to there. That nothing is promised between two databases is why this one does it itself.
 *
 * @param isFollowed - whether `heard` is called; otherwise nobody knows what others store, and each flush writes
 */
export function trackDurability(given: CoreBackend, now: () => number, isFollowed: boolean): DurabilityTracker {
  if (given.flush === undefined) return { backend: given, heard: () => undefined, flush: () => Promise.resolve(), unflushed: async () => undefined }
  const flushPlace = given.flush.bind(given)
  /** Commits so far, and how many of them are hard. What was stored before counts as one: nobody knows how. */
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
        if (isHard(durability)) return harden(() => given.commit(batch, durability), ({ stored }) => stored)
        const outcome = await given.commit(batch, durability)
        if (outcome.stored) add()
        return outcome
      },
    },
    heard: (isStrict) => isStrict || add(),
    flush: async () => {
      if (made > hard || !isFollowed) await harden(flushPlace, () => true)
    },
    unflushed: async () => (made === hard ? undefined : { commits: made - hard, since }),
  }
}
