import type { EncryptionState } from '../contract/encryption.ts'
import type { MirrorState } from '../contract/mirror.ts'
import type { UnflushedWrites } from '../contract/store/store-upkeep.ts'
import type { StoreMode } from './open-options.ts'

/**
 * How a store reaches its database after it was lost: by another worker, by a worker from a fresh hidden frame
 * (Safari), or not at all.
 */
export type RecoveryRung = 'worker' | 'frame' | 'memory'

/** What happened to a store whose worker or database was lost while it was open. */
export interface RecoveryReport {
  readonly rung: RecoveryRung
  /** Writes that wait in memory for the database. They are lost when the page closes before it is back. */
  readonly held: number
  /** The newest steps, oldest first; `at` in milliseconds since 1970. */
  readonly history: readonly { readonly rung: RecoveryRung; readonly at: number; readonly reason: string }[]
}

/** What `upkeep.health()` of a client reports. */
export interface StoreHealth {
  /** `memory` also while a database that was open can't be reached. */
  readonly mode: StoreMode
  /** Whether anything survives the tab. */
  readonly durable: boolean
  /** Every mode that was tried before, and why it was not used. */
  readonly skipped: readonly { readonly mode: StoreMode; readonly reason: string }[]
  /** Name of the database. */
  readonly name: string
  /** How often the worker had to be restarted. */
  readonly restarts: number
  /** Absent where nothing was ever lost. */
  readonly recovery?: RecoveryReport
  /**
   * Sessions that an earlier run, which had no IndexedDB, kept in Web Storage; absent when there were none. Those in
   * `left` are still used there, and the next start tries again.
   */
  readonly moved?: {
    readonly sessions: readonly string[]
    readonly left: readonly { readonly key: string; readonly reason: string }[]
  }
  /** Whether what is stored is mirrored, and if not, why; absent where it can't be (no worker, no database). */
  readonly mirror?: MirrorState
  /** How what is stored was encrypted when the store was opened; absent when it is plain. */
  readonly encryption?: EncryptionState
  /** Whether the browser has promised not to evict the data; absent where it can't be asked. */
  readonly persisted?: boolean
  readonly originBytes?: number
  readonly quotaBytes?: number
  /**
   * What power loss would take; absent when there is nothing, where the backend promises nothing anyway, and when the
   * store did not answer in time. `upkeep.flush()` makes it durable.
   */
  readonly unflushed?: UnflushedWrites
}

/**
 * The browser's answer when it was asked to keep the data: `unanswered` in time (Firefox waits for the user),
 * `unavailable` where it can't be asked (plain HTTP, WebKitGTK).
 */
export type PersistAnswer = 'granted' | 'denied' | 'unanswered' | 'unavailable'
