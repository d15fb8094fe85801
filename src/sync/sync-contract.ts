import type { StoreChange } from '../contract/change.ts'
import type { SessionStore } from '../contract/store.ts'
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
export type SyncStore = Pick<SessionStore, 'listSessions' | 'getVector' | 'changes' | 'merge' | 'flush' | 'delete' | 'undelete' | 'purge' | 'resolveSessionKey' | 'listPurges' | 'forgetPurges' | 'getBlob' | 'putBlob' | 'listDrafts'>

export interface SyncOptions extends TermOptions {
  readonly store: SyncStore
  /** Hands over every change of the store, from this tab and the others; returns how to stop. */
  readonly follow: (listener: (change: StoreChange) => void) => () => void
  readonly transport: SyncTransport
  /** What stands before every document's name: whose sessions these are. No `/` in it. */
  readonly namespace: string
  /** What everything is sealed with before it leaves this device. Absent: it goes in the clear. */
  readonly keys?: SyncKeys
  /** What is known of the other side from earlier runs. Without it, the list of sessions is fetched whole at each start. */
  readonly memory?: SyncMemory
  /** Sessions exchanged at once, default 32. Hocuspocus ends a connection at 100. */
  readonly window?: number
  /** Wait before the first retry, and the longest, in milliseconds. Default 1,000 and 30,000. */
  readonly retryMs?: readonly [first: number, longest: number]
  /** How long a session stays connected after it last changed, so that what is said next is there at once. Default 60,000 ms. */
  readonly liveMs?: number
  /** How long changes are gathered before the others are told that a session changed. Default 300 ms. */
  readonly tellMs?: number
  /** Tells the other devices who is here, types, and has a reply streamed; they tell it here. Absent: nobody is told anything. */
  readonly presence?: PresenceOptions
  /** Stands for this device there: a tab that goes on in the place of another one is to be the same. Default: drawn. */
  readonly device?: string
  /** How that is written where others can see it. Default: sealed with the keys, without them in the clear. */
  readonly presenceCodec?: PresenceCodec
  /** Begins paused: `plan` says what would happen. */
  readonly paused?: boolean
  readonly now?: () => number
  readonly random?: () => number
}

export interface KeyChange {
  /** The key that is given up, where it is not that of this sync: to go on with a change that was broken off. */
  readonly from?: SyncKeys
  readonly onProgress?: (progress: RotationProgress) => void
  readonly signal?: AbortSignal
}

/** Sessions of this store, kept equal with those of other devices. */
export interface Sync {
  status(): SyncStatus
  session(key: string): SessionSyncState
  /** Of all sessions that were looked at. */
  states(): Readonly<Record<string, SessionSyncState>>
  /** The list of all devices' sessions, newest first, with those that were not fetched yet, and those that went on in another (`promotedTo`). */
  sessions(): readonly IndexEntry[]
  /** The others in a session; those who look at it, or have a reply streamed into it. The same list until something changes. Empty without {@link SyncOptions.presence}. */
  presence(key: string): readonly PeerState[]
  /** Of all sessions that somebody is in. */
  presences(): Readonly<Record<string, readonly PeerState[]>>
  /** Somebody types here, to be said again while they do; without more, it ends after six seconds. Sent where the session is watched, and others are there. */
  setTyping(key: string, isTyping: boolean): void
  /** Somebody looks at a session, by the key it is stored under: it stays connected, and the others see it. For the few on a screen. Returns how to stop. */
  watch(key: string): () => void
  /** Called after each change of what these say, with what changed. Returns how to stop. */
  subscribe(listener: (what: 'sync' | 'presence') => void): () => void
  /** What would be sent, fetched and erased. Waits for the list of the other side. @throws AccessDenied, WrongPassphrase (the state is `wrongKey`), Aborted, StorageClosed */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /** Exchanges everything now; resolves once nothing is left to do. @throws AccessDenied, WrongPassphrase (the state is `wrongKey`), Aborted, StorageClosed */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  /** What the other side is not known to have yet; also offline. @throws StorageClosed */
  unsent(): Promise<Unsent>
  pause(): Promise<void>
  resume(): void
  /** The way to the server may be there again, as `online` events say: tries at once. */
  retry(): void
  /** The network is gone, as `offline` events say: a connection would take minutes to notice. Tries again by itself. */
  drop(): void
  /**
   * Puts everything that the server has under another key, and goes on with that one: keep it first, where the next start finds it. Other devices stop and ask
   * for it. What breaks off is gone on with by calling it again; sessions that are `left` need that, too, with `from`.
   *
   * @throws InvalidInput (no keys, the same, or one that was given up before), WrongPassphrase (the old one is not in use), AccessDenied, Aborted, StorageClosed
   */
  changeKeys(to: SyncKeys, options?: KeyChange): Promise<RotationReport>
  close(): Promise<void>
}
