import type { AsyncDisposal } from '../contract/disposal.ts'
import type { Encryption } from '../contract/encryption.ts'
import type { RotationReport } from '../sync/encryption/rotate-keys.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../sync/link.ts'
import type { SyncPlan, SyncStatus, Unsent } from '../sync/status.ts'
import type { KeyChange } from '../sync/sync-contract.ts'
import type { SyncSettings, SyncSnapshot } from '../sync/sync-protocol.ts'

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

export interface SignOutOptions {
  /** Takes the sessions away from this device, too. */
  readonly deleteSessions?: boolean
  /** Also what no other device has. */
  readonly discardUnsent?: boolean
}

/** Sync of a device: one connection for all its tabs, held by the one that leads. */
export interface DeviceSync extends AsyncDisposal {
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
  /** Exchanges everything now; what this client reads afterwards has all that came. @throws AccessDenied, Aborted, InvalidInput (paused), StorageClosed */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  /**
   * Puts everything that the server has under another key, in whichever tab; all tabs of this device go on with it. Keep the key first, where the next
   * start finds it. Other devices stop, and ask for it. What breaks off is gone on with by calling it again, with `from`; so are sessions that are `left`.
   *
   * @throws InvalidInput (no keys, the same, one that was given up before, or it is being changed already), WrongPassphrase (the old one is not in use),
   * AccessDenied, Aborted, WorkerLost (the tab that did it was closed: call it again, with `from`), StorageClosed
   */
  changeKeys(to: SyncKeys, options?: KeyChange): Promise<RotationReport>
  /** Ends the connection, for all tabs, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends sync in this tab; another one goes on. */
  close(): Promise<void>
  /** What only this device has, for all that is known; also offline. To be told before sessions are taken away. @throws Aborted, StorageClosed */
  unsent(signal?: AbortSignal): Promise<Unsent>
  /**
   * Ends sync in all tabs of this device, and forgets what is known of the other devices, and purges that they were not told of. Sessions stay, unless they are to be deleted: then the store is
   * closed in every tab that syncs, and taken away as `deleteSessionStore` does.
   *
   * @throws Unsent when something is to be deleted that no other device has (nothing was done); what `deleteSessionStore` throws, when everything else is done
   */
  signOut(options?: SignOutOptions): Promise<void>
}
