import type { SessionStore } from '../src/contract/store/session-store.ts'
import { runCall } from '../src/sync/run-call.ts'
import type { Sync } from '../src/sync/sync-contract.ts'
import type { SyncCall, SyncReply } from '../src/sync/sync-protocol.ts'
import { toWireError } from './wire-error.ts'

export interface SyncCallParts {
  readonly sync: Sync
  readonly store: Pick<SessionStore, 'close'>
  readonly answer: (reply: SyncReply) => void
  /** Sends the snapshot now. A call must not resolve before the page has seen its effect. */
  readonly showSnapshot: () => void
}

/** Runs the calls of a page, and cancels them. */
export interface SyncCalls {
  run(id: number, call: SyncCall): Promise<void>
  cancel(id: number): void
}

export function runSyncCalls({ sync, store, answer, showSnapshot }: SyncCallParts): SyncCalls {
  const running = new Map<number, AbortController>()
  return {
    run: async (id, call) => {
      const ending = new AbortController()
      running.set(id, ending)
      try {
        const value = await runCall(sync, call, {
          signal: ending.signal,
          onProgress: (progress) => answer({ keepsession: 'progress', id, progress }),
        })
        showSnapshot()
        if (call[0] === 'close') await store.close()
        answer({ keepsession: 'done', id, value })
      } catch (error) {
        answer({ keepsession: 'error', id, error: toWireError(error) })
      } finally {
        running.delete(id)
      }
    },
    cancel: (id) => running.get(id)?.abort(),
  }
}
