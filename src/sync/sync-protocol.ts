import type { Encryption } from '../contract/encryption.ts'
import type { FailedMessage, PingMessage, PongMessage, ReadyMessage, WireError } from '../contract/worker-protocol.ts'
import type { RotationProgress, RotationReport } from './encryption/rotate-keys.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import type { PresenceOptions } from './presence/check-presence-options.ts'
import type { PeerState } from './presence/presence-state.ts'
import type { SnapshotChange } from './snapshot-change.ts'
import type { SyncPlan, SyncStatus, Unsent } from './status.ts'
import type { SyncStanding } from './sync-standing.ts'

/** How the sync worker reaches the other side. A port carries the bytes to a transport of the app. */
export type TransportChoice =
  | { readonly kind: 'hocuspocus' | 'websocket'; readonly url: string }
  | { readonly kind: 'port'; readonly port: MessagePort }

/** The options of sync that can be sent to a worker. */
export interface SyncSettings {
  readonly window?: number
  readonly retryMs?: readonly [first: number, longest: number]
  readonly liveMs?: number
  readonly announceMs?: number
  /** Publishes to the other devices who is here, types and streams a reply. Absent: nothing is published. */
  readonly presence?: PresenceOptions
}

/** The first message to a sync worker, with a `MessagePort` for everything else. */
export interface OpenSyncMessage extends SyncSettings {
  readonly keepsession: 'open-sync'
  readonly protocol: number
  /** Name of the database. */
  readonly name: string
  readonly blockedAfterMs: number
  readonly mirror: boolean
  /** What the database is encrypted with. */
  readonly encryption?: Encryption | undefined
  readonly namespace: string
  readonly transport: TransportChoice
  /** What content is encrypted with before it leaves the device. */
  readonly keys?: SyncKeys | undefined
  /** The term of the tab that leads. */
  readonly term: number
  readonly paused: boolean
  /** What the tabs of this device are called for others. */
  readonly device: string
}

/** The calls of sync that one has to wait for. */
export interface SyncCalls {
  plan(): SyncPlan
  syncNow(): SyncStatus
  unsent(): Unsent
  changeKeys(to: SyncKeys, from: SyncKeys | undefined): RotationReport
  pause(): void
  resume(): void
  retry(): void
  close(): void
}

/** A call: its name and arguments. */
export type SyncCall = {
  [M in keyof SyncCalls]: readonly [method: M, ...args: Parameters<SyncCalls[M]>]
}[keyof SyncCalls]

/** The options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: RotationProgress) => void) | undefined
}

export type SyncCommand =
  | PingMessage
  | { readonly keepsession: 'call'; readonly id: number; readonly call: SyncCall }
  | { readonly keepsession: 'cancel'; readonly id: number }
  /** All sessions that the tabs of this device look at. */
  | { readonly keepsession: 'watch'; readonly keys: readonly string[] }
  | { readonly keepsession: 'typing'; readonly key: string; readonly isTyping: boolean }
  | { readonly keepsession: 'token'; readonly id: number; readonly token: string }
  | { readonly keepsession: 'no-token'; readonly id: number; readonly message: string }

/** What is known about sync without asking. */
export interface SyncSnapshot extends SyncStanding {
  /** The others, by the session that they are in. */
  readonly presence: SyncPresence
}

export type SyncPresence = Readonly<Record<string, readonly PeerState[]>>

export type SyncReply =
  | ReadyMessage
  | FailedMessage
  | PongMessage
  /** Sent once; after that, only what has changed. */
  | { readonly keepsession: 'snapshot'; readonly snapshot: SyncStanding }
  | { readonly keepsession: 'snapshot-change'; readonly change: SnapshotChange }
  /** Separate from the rest: five times a second while a reply grows elsewhere. */
  | { readonly keepsession: 'presence'; readonly presence: SyncPresence }
  | { readonly keepsession: 'ask-token'; readonly id: number }
  | { readonly keepsession: 'progress'; readonly id: number; readonly progress: RotationProgress }
  | { readonly keepsession: 'done'; readonly id: number; readonly value: unknown }
  | { readonly keepsession: 'error'; readonly id: number; readonly error: WireError }
