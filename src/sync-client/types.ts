import type { Encryption } from '../contract/encryption.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../sync/link.ts'
import type { SyncPlan, SyncStatus } from '../sync/status.ts'
import type { SyncSettings, SyncSnapshot } from '../sync/worker-protocol.ts'

export interface OpenSyncOptions extends SyncSettings {
  /** Whose sessions these are: what stands before every document's name on the server. No `/` in it. */
  readonly namespace: string
  /**
   * The way to the other devices. A server by its kind and URL (`ws:` or `wss:`); a `port` for bytes that the app carries itself; both work in a
   * worker. Or a function that makes a transport, which works in the page.
   */
  readonly transport: { readonly kind: 'hocuspocus' | 'websocket'; readonly url: string } | { readonly kind: 'port'; readonly open: () => MessagePort } | (() => SyncTransport | Promise<SyncTransport>)
  /** What lets this user in at the server; asked for at each connection. */
  readonly token?: () => string | Promise<string>
  /**
   * End-to-end encryption: what everything is sealed with before it leaves this device (`openSyncKeys`), so that the server sees sizes and times only.
   * Absent: it goes in the clear. Devices whose keys differ are in the state `wrongKey` and send nothing.
   */
  readonly keys?: SyncKeys
  /** What the store was opened with, where its content is encrypted on this device. */
  readonly encryption?: Encryption
  /** Default true, as for the store. */
  readonly mirror?: boolean
  /** Begins paused: `plan` says what would happen. */
  readonly paused?: boolean
  /** Makes the sync worker, where a bundler needs help: `new Worker(new URL('keepsession/sync.worker', import.meta.url), { type: 'module' })`. */
  readonly worker?: () => Worker
}

/** How sync of this device stands, whichever of its tabs does it. */
export interface DeviceSyncSnapshot extends SyncSnapshot {
  /** Whether this tab does it. */
  readonly isLeader: boolean
}

/** Sync of a device: one connection for all its tabs, held by the one that leads. */
export interface DeviceSync {
  /** Calls back after every change of the snapshot, whichever tab it comes from. Returns the unsubscriber. */
  subscribe(onChange: () => void): () => void
  /** The same object until something changes. */
  getSnapshot(): DeviceSyncSnapshot
  /**
   * Somebody looks at a session here, by the key it is stored under: it stays connected, others see who is here and what is streamed here, and
   * `presence` of the snapshot has them. For the few on a screen. Returns how to stop.
   */
  watch(key: string): () => void
  /** Somebody types here; to be said again while they do, ends after six seconds without. Seen by others where the session is watched. */
  setTyping(key: string, isTyping: boolean): void
  /** What would be sent, fetched and erased. Waits for the list of the other side. @throws AccessDenied, Aborted, StorageClosed */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /** Exchanges everything now. @throws AccessDenied, Aborted, InvalidInput (paused), StorageClosed */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  /** Ends the connection, for all tabs, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends sync in this tab; another one goes on. */
  close(): Promise<void>
  /** Ends sync in this tab and forgets what is known of the other devices. Sessions stay as they are: `deleteSessionStore` takes those away. */
  signOut(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
