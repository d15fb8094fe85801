import type { SessionStore } from '../contract/store/session-store.ts'
import type { TermOptions } from '../contract/term.ts'
import type { RotationProgress } from './encryption/rotate-keys.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import type { SyncTransport } from './link.ts'
import type { RetryOptions } from './retry-wait.ts'
import type { SessionsHere } from './sessions-here.ts'

export interface KeyChangeOptions extends TermOptions {
  readonly store: Pick<SessionStore, 'changes' | 'merge' | 'flush' | 'getBlob' | 'putBlob'>
  readonly here: SessionsHere
  readonly transport: SyncTransport
  readonly namespace: string
  /** The list of sessions, including what is not sent yet. */
  readonly state: Uint8Array
  readonly from: SyncKeys
  readonly to: SyncKeys
  readonly retry: RetryOptions
  readonly now: () => number
  readonly onProgress?: ((progress: RotationProgress) => void) | undefined
  readonly signal: AbortSignal
}
