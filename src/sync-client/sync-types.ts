import type { AsyncDisposal } from '../contract/disposal.ts'
import type { Encryption } from '../contract/encryption.ts'
import type { RotationReport } from '../sync/encryption/rotate-keys.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../sync/link.ts'
import type { SyncPlan, SyncStatus, Unsent } from '../sync/status.ts'
import type { KeyChange } from '../sync/sync-contract.ts'
import type { SyncSettings, SyncSnapshot } from '../sync/sync-protocol.ts'

export interface OpenSyncOptions extends SyncSettings {
  /** Whose sessions these are. It is the first part of every document's name on the server, and has no `/` in it. */
  readonly namespace: string
  /**
   * The connection to the other devices: a server by its kind and URL (`ws:` or `wss:`), or a `port` for bytes that the
   * app carries itself. Both work in a worker. A function that makes a transport works in the page.
   */
  readonly transport:
    | { readonly kind: 'hocuspocus' | 'websocket'; readonly url: string }
    | { readonly kind: 'port'; readonly open: () => MessagePort }
    | (() => SyncTransport | Promise<SyncTransport>)
  /**
   * Returns the token that the server accepts for this user. Called for each connection, or once for those of the same
   * time.
   */
  readonly token?: () => string | Promise<string>
  /**
   * End-to-end encryption: the keys that encrypt everything before it leaves this device (`openSyncKeys`), so that the
   * server sees only sizes and times. Absent: nothing is encrypted. Devices with different keys are in the state
   * `wrongKey` and send nothing.
   */
  readonly keys?: SyncKeys
  /** The `encryption` that the store was opened with, if it is encrypted on this device. */
  readonly encryption?: Encryption
  /** Default true, as for the store. */
  readonly mirror?: boolean
  /** Starts paused: `plan` returns what would happen. */
  readonly paused?: boolean
  /**
   * Creates the sync worker, if the bundler needs help: `new Worker(new URL('keepsession/sync.worker',
   * import.meta.url), { type: 'module' })`.
   */
  readonly worker?: () => Worker
}

/** The state of sync on this device, whichever of its tabs syncs. */
export interface DeviceSyncSnapshot extends SyncSnapshot {
  /** Whether this tab syncs. */
  readonly isLeader: boolean
}

export interface SignOutOptions {
  /** Also deletes the sessions on this device. */
  readonly deleteSessions?: boolean
  /** Also deletes what no other device has. */
  readonly discardUnsent?: boolean
}

/** Sync of a device: one connection for all its tabs, held by the tab that leads. */
export interface DeviceSync extends AsyncDisposal {
  /** Calls back after every change of the snapshot, whichever tab caused it. Returns the unsubscriber. */
  subscribe(onChange: () => void): () => void
  /** Returns the same object until something changes. */
  getSnapshot(): DeviceSyncSnapshot
  /**
   * The user looks at a session, named by the key it is stored under: it stays connected, others see who is here and
   * what is streamed here, and `presence` of the snapshot has the others. For the few sessions on a screen. Returns a
   * function that ends this.
   */
  watch(key: string): () => void
  /**
   * The user types here. Call it again while they do; it ends after six seconds without a call. Others see it while the
   * session is watched.
   */
  setTyping(key: string, isTyping: boolean): void
  /**
   * Returns what would be sent, fetched and erased. Waits for the list of the other side.
   *
   * @throws AccessDenied, Aborted, StorageClosed
   */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /**
   * Exchanges everything now. What this client reads afterwards includes everything that arrived.
   *
   * @throws AccessDenied, Aborted, InvalidInput (paused), StorageClosed
   */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  /**
   * Moves everything on the server to another key, in whichever tab leads; all tabs of this device continue with the
   * new key. Store the key first where the next start finds it. Other devices stop and ask for it. If the change is
   * interrupted, or sessions are `left`, call it again with `from`.
   *
   * @throws InvalidInput (no keys, the same key, one that was replaced before, a change is running, or there are only
   * peers), WrongPassphrase (the old key is not in use), AccessDenied, Aborted, WorkerLost (the tab that did it was closed: call it again, with
   * `from`), StorageClosed
   */
  changeKeys(to: SyncKeys, options?: KeyChange): Promise<RotationReport>
  /** Ends the connection for all tabs, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends sync in this tab. Another tab takes over. */
  close(): Promise<void>
  /**
   * What only this device has, as far as is known; also works offline. Show it before sessions are deleted.
   *
   * @throws Aborted, StorageClosed
   */
  unsent(signal?: AbortSignal): Promise<Unsent>
  /**
   * Ends sync in all tabs of this device, and forgets what is known of the other devices and the purges that were not
   * reported to them. Sessions stay, unless they are to be deleted: then the store is closed in every tab that syncs,
   * and deleted as `deleteSessionStore` does.
   *
   * @throws Unsent when something would be deleted that no other device has (nothing was done); what
   * `deleteSessionStore` throws, when everything else is done; StorageUnavailable when what is known of the
   * other devices could not be forgotten: the sessions are deleted all the same
   */
  signOut(options?: SignOutOptions): Promise<void>
}
