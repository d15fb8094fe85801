import { createLeadership, type LeadershipOptions } from '../../../../src/client/leadership/create-leadership.ts'
import { type LeaderMessage, openLeaderChannel } from '../../../../src/client/leadership/leader-channel.ts'
import type { Leadership } from '../../../../src/client/leadership/leadership-types.ts'
import type { SessionStore } from '../../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../../src/storage/memory-backend.ts'
import { createLocks } from '../../../support/locks.ts'

/** What tabs of a browser have to agree by. */
export interface Means {
  readonly locks: boolean
  readonly channel: boolean
}

/** A tab that stands for leader. */
export interface Tab extends Leadership {
  /** What it was told of its own state, newest last: the term, 0 while it follows. */
  readonly terms: readonly number[]
  /** Stops all that comes in and goes out, as the system does with tabs in the background. */
  freeze(): void
  thaw(): void
}

export interface Browser {
  readonly store: SessionStore
  open(more?: Partial<LeadershipOptions>): Tab
  close(): Promise<void>
}

let browsers = 0

/** Tabs on one database, with short ticks. */
export function createBrowser(means: Means): Browser {
  const store = createSessionStore(createMemoryBackend())
  const locks = means.locks ? createLocks() : undefined
  const lock = `test leader ${++browsers}`
  const tabs: Tab[] = []
  return {
    store,
    open: (more = {}) => {
      let isFrozen = false
      let thaw: () => void = () => undefined
      let awake: Promise<void> = Promise.resolve()
      const channel = means.channel ? openLeaderChannel(lock) : undefined
      const frozen = channel && {
        ...channel,
        say: (message: LeaderMessage) => void awake.then(() => channel.say(message)),
        subscribe: (listener: (message: LeaderMessage) => void) =>
          channel.subscribe((message) => void (isFrozen ? awake.then(() => listener(message)) : listener(message))),
      }
      const terms: number[] = []
      const leadership = createLeadership({
        store: { claimTerm: async (claim) => awake.then(() => store.claimTerm(claim)) },
        lock,
        locks,
        channel: frozen,
        tickMs: 4,
        ...more,
      })
      leadership.follow(({ term }) => terms.push(term))
      const tab = {
        ...leadership,
        terms,
        freeze: () => {
          isFrozen = true
          awake = new Promise((resolve) => (thaw = resolve))
        },
        thaw: () => {
          isFrozen = false
          thaw()
        },
      }
      tabs.push(tab)
      return tab
    },
    close: async () => {
      for (const tab of tabs) tab.thaw()
      await Promise.all(tabs.map((tab) => tab.close()))
    },
  }
}
