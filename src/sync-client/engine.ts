import type { SyncCalls, SyncSnapshot } from '../sync/worker-protocol.ts'

/** What syncs: in a worker, or in this page. */
export interface SyncEngine {
  /** @throws WorkerLost, and what is in the way */
  call<M extends keyof SyncCalls>(method: M, signal?: AbortSignal): Promise<ReturnType<SyncCalls[M]>>
  /** Resolves when it died; with a reason for people. */
  readonly lost: Promise<string>
  /** Gives it up, whatever it does. */
  end(): void
}

/** Makes one for a term of leading. */
export type StartEngine = (options: { readonly term: number; readonly paused: boolean; readonly onSnapshot: (snapshot: SyncSnapshot) => void }) => Promise<SyncEngine>
