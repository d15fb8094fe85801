import type { StoreChange } from '../contract/change.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { TermOptions } from '../contract/term.ts'
import type { RotationProgress, RotationReport } from './encryption/rotate-keys.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import type { IndexEntry } from './index-entry.ts'
import type { SyncTransport } from './link.ts'
import type { PresenceOptions } from './presence/check-presence-options.ts'
import type { PeerState, PresenceCodec } from './presence/presence-state.ts'
import type { SessionSyncState, SyncPlan, SyncStatus, Unsent } from './status.ts'
import type { SyncMemory } from './sync-memory.ts'

/** What sync needs of a store. */
export type SyncStore = Pick<
  SessionStore,
  | 'listSessions'
  | 'getVector'
  | 'changes'
  | 'merge'
  | 'flush'
  | 'delete'
  | 'undelete'
  | 'purge'
  | 'resolveSessionKey'
  | 'listPurges'
  | 'forgetPurges'
  | 'getBlob'
  | 'putBlob'
  | 'listDrafts'
>

export interface SyncOptions extends TermOptions {
  readonly store: SyncStore
  /** Calls back for every change of the store, from this tab and the others; returns how to stop. */
  readonly follow: (listener: (change: StoreChange) => void) => () => void
  readonly transport: SyncTransport
  /** The first part of every document's name: whose sessions these are. No `/` in it. */
  readonly namespace: string
  /** The keys that encrypt everything before it leaves this device. Absent: nothing is encrypted. */
  readonly keys?: SyncKeys
  /** What earlier runs know of the other side. Without it, each start fetches the whole list of sessions. */
  readonly memory?: SyncMemory
  /**
   * How many sessions are exchanged at once, default 32; three times as many if they have at most 16 messages.
   * Hocuspocus ends a connection when 100 wait to be opened.
   */
  readonly window?: number
  /** Wait before the first retry, and the longest, in milliseconds. Default 1,000 and 30,000. */
  readonly retryMs?: readonly [first: number, longest: number]
  /**
   * How long a session stays connected after its last change, so that the next change arrives at once. Default 60,000
   * ms.
   */
  readonly liveMs?: number
  /** How long changes are gathered before the list announces them to the others. Default 300 ms. */
  readonly announceMs?: number
  /**
   * Publishes to the other devices who is here, types and streams a reply, and receives that from them. Absent: nothing
   * is published.
   */
  readonly presence?: PresenceOptions
  /**
   * Identifies this device for the others: a tab that replaces another one has to use the same. Default: drawn at
   * random.
   */
  readonly device?: string
  /** How presence is encoded where others can see it. Default: encrypted with the keys, or plain without them. */
  readonly presenceCodec?: PresenceCodec
  /** Starts paused: `plan` returns what would happen. */
  readonly paused?: boolean
  readonly now?: () => number
  readonly random?: () => number
}

export interface KeyChange {
  /** The key that is replaced, if it is not the one of this sync: to resume a change that was interrupted. */
  readonly from?: SyncKeys
  readonly onProgress?: (progress: RotationProgress) => void
  readonly signal?: AbortSignal
}

/** Keeps the sessions of this store equal with those of other devices. */
export interface Sync {
  status(): SyncStatus
  session(key: string): SessionSyncState
  /** The states of all sessions that are known. */
  states(): Readonly<Record<string, SessionSyncState>>
  /**
   * The list of all devices' sessions, newest first, including those that are not fetched yet and those that continue
   * in another session (`promotedTo`).
   */
  sessions(): readonly IndexEntry[]
  /**
   * The others in a session: those who look at it, or stream a reply into it. Returns the same list until something
   * changes. Empty without {@link SyncOptions.presence}.
   */
  presence(key: string): readonly PeerState[]
  /** The others in all sessions that have any. */
  presences(): Readonly<Record<string, readonly PeerState[]>>
  /**
   * The user types here. Call it again while they do; it ends after six seconds without a call. Sent while the session
   * is watched and others are there.
   */
  setTyping(key: string, isTyping: boolean): void
  /**
   * The user looks at a session, named by the key it is stored under: it stays connected, and the others see it. For
   * the few sessions on a screen. Returns how to stop.
   */
  watch(key: string): () => void
  /** Calls back after each change of what these methods return, with what changed. Returns how to stop. */
  subscribe(listener: (what: 'sync' | 'presence') => void): () => void
  /**
   * Returns what would be sent, fetched and erased. Waits for the list of the other side.
   *
   * @throws AccessDenied, WrongPassphrase (the state is `wrongKey`), Aborted, StorageClosed
   */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /**
   * Exchanges everything now. Resolves once there is nothing left to do.
   *
   * @throws AccessDenied, WrongPassphrase (the state is `wrongKey`), Aborted, StorageClosed
   */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  /** What the other side is not known to have yet; also works offline. @throws StorageClosed */
  unsent(): Promise<Unsent>
  pause(): Promise<void>
  resume(): void
  /** The server may be reachable again, as `online` events say: tries at once. */
  retry(): void
  /**
   * The network is gone, as `offline` events say, which a connection would notice only after minutes. Retries by
   * itself.
   */
  drop(): void
  /**
   * Moves everything on the server to another key, and continues with that key: store it first where the next start
   * finds it. Other devices stop and ask for it. If the change is interrupted, or sessions are `left`, call it again
   * with `from`.
   *
   * @throws InvalidInput (no keys, the same key, one that was replaced before, or there are only peers), WrongPassphrase
   * (the old key is not in use), AccessDenied, Aborted, StorageClosed
   */
  changeKeys(to: SyncKeys, options?: KeyChange): Promise<RotationReport>
  close(): Promise<void>
}
