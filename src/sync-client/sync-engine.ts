import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { CallOptions, SyncCall, SyncCalls, SyncPresence } from '../sync/sync-protocol.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'

/** Asks for something. @throws WorkerLost, and whatever prevents it */
export type CallSync = <C extends SyncCall>(call: C, how?: CallOptions) => Promise<ReturnType<SyncCalls[C[0]]>>

/** The engine that syncs, in a worker or in this page. */
export interface SyncEngine {
  readonly call: CallSync
  /** Sets the complete list of sessions that the tabs of this device look at. */
  watch(keys: readonly string[]): void
  setTyping(key: string, isTyping: boolean): void
  /** Resolves with a readable reason when the engine died. */
  readonly lost: Promise<string>
  /** Ends it, whatever it is doing. */
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

/** Starts an engine for one term of leadership. */
export type StartEngine = (options: EngineOptions) => Promise<SyncEngine>

/** Makes a call in this tab. @throws WorkerLost when the engine has ended: then the next engine is asked */
export type RunCall = (call: SyncCall, how: CallOptions) => Promise<unknown>
