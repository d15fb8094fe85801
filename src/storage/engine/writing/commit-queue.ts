import type { CoreBackend } from '../../../contract/backend.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import type { SessionWrite } from '../../../contract/write-batch.ts'
import { strictest } from './strictest.ts'

/** The outcome of one session's write. */
type WriteOutcome = 'stored' | 'stale'

interface Waiting {
  readonly write: SessionWrite
  readonly durability: Durability
  readonly resolve: (outcome: WriteOutcome) => void
  readonly reject: (reason: unknown) => void
}

export interface CommitQueue {
  /**
   * Stores a write together with all that come in the same tick or while a commit is in flight. Rejects when it can't
   * be stored.
   */
  readonly commit: (write: SessionWrite, durability: Durability) => Promise<WriteOutcome>
}

/**
 * Group commit over all sessions: one transaction is in flight, and it has the strictest durability of its members.
 * When it fails, its members are stored singly, so that only the one at fault rejects. At most one write of a session
 * may wait at a time.
 */
export function createCommitQueue(backend: CoreBackend): CommitQueue {
  let waiting: Waiting[] = []
  let isRunning = false

  const store = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const durability = strictest(group.map((member) => member.durability))
      const outcome = await backend.commit({ sessions: group.map(({ write }) => write), erase: [] }, durability)
      if (outcome.stored) {
        for (const member of group) member.resolve('stored')
        return
      }
      const stale = new Set(outcome.stale)
      const fresh = group.filter(({ write }) => !stale.has(write.hot.key))
      for (const member of group) if (!fresh.includes(member)) member.resolve('stale')
      if (fresh.length > 0) await store(fresh)
    } catch (error) {
      if (group.length === 1) group[0]!.reject(error)
      else for (const member of group) await store([member])
    }
  }

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await store(group)
    }
    isRunning = false
  }

  return {
    commit: (write, durability) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, durability, resolve, reject })
        if (isRunning) return
        isRunning = true
        queueMicrotask(() => void run())
      }),
  }
}
