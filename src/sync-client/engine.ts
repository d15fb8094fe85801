import type { SyncCalls, SyncPresence, SyncSnapshot } from '../sync/worker-protocol.ts'

/** What syncs: in a worker, or in this page. */
export interface SyncEngine {
  /** @throws WorkerLost, and what is in the way */
  call<M extends keyof SyncCalls>(method: M, signal?: AbortSignal): Promise<ReturnType<SyncCalls[M]>>
  /** What the tabs of this device look at, all of it each time. */
  watch(keys: readonly string[]): void
  setTyping(key: string, isTyping: boolean): void
  /** Resolves when it died; with a reason for people. */
  readonly lost: Promise<string>
  /** Gives it up, whatever it does. */
  end(): void
}

/** Makes one for a term of leading. */
export type StartEngine = (options: { readonly term: number; readonly paused: boolean; readonly onSnapshot: (snapshot: SyncSnapshot) => void; readonly onPresence: (presence: SyncPresence) => void }) => Promise<SyncEngine>
