import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'
import type { CallHow, SyncCall, SyncCalls, SyncPresence } from '../sync/sync-protocol.ts'

/** Asks for something. @throws WorkerLost, and what is in the way */
export type CallSync = <C extends SyncCall>(call: C, how?: CallHow) => Promise<ReturnType<SyncCalls[C[0]]>>

/** What syncs: in a worker, or in this page. */
export interface SyncEngine {
  readonly call: CallSync
  /** What the tabs of this device look at, all of it each time. */
  watch(keys: readonly string[]): void
  setTyping(key: string, isTyping: boolean): void
  /** Resolves when it died; with a reason for people. */
  readonly lost: Promise<string>
  /** Gives it up, whatever it does. */
  end(): void
}

export interface EngineOptions {
  readonly term: number
  readonly paused: boolean
  readonly keys: SyncKeys | undefined
  readonly device: string
  readonly onSnapshot: (snapshot: SyncStanding) => void
  readonly onPresence: (presence: SyncPresence) => void
}

/** Makes one for a term of leading. */
export type StartEngine = (options: EngineOptions) => Promise<SyncEngine>
