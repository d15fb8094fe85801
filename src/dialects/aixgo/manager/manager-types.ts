import type { StoreMode } from '../../../client/open-options.ts'
import type { Session } from '../../../client/session-contract.ts'
import type { AsyncDisposal } from '../../../contract/disposal.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionPage } from '../../../contract/store/session-metadata.ts'

/**
 * When checkpoints are made by themselves. Every write to an open session counts, whoever makes it; where the manager
 * has a bare store in the place of a client, those that go through the manager's own object.
 */
export interface AutoSaveSettings {
  readonly autoSave: boolean
  /**
   * The longest time that what was written goes without a checkpoint, as Go writes durations: `5m`, `1h30m`, `90s`;
   * `0s` for none.
   */
  readonly interval: string
  /** Also after so many answers. Default: not by turns. */
  readonly everyTurns?: number
  /** How many of those made by themselves are kept, of each session; the oldest go first. Default 10. */
  readonly keep?: number
}

/** Aixgo's configuration of sessions, with what a browser has in the place of directories and servers. */
export interface ManagerConfig {
  /** `false`: there are no sessions, and `createSessionManager` says so. */
  readonly enabled: boolean
  /** Where the store may live: the `modes` of `openSessionStore`, which the app calls. */
  readonly store: readonly StoreMode[]
  /**
   * Name of the database, for `openSessionStore` as well; with a client its name. Managers of one name never make two
   * sessions for one user at once.
   */
  readonly name: string
  readonly checkpoint: AutoSaveSettings
  /**
   * Milliseconds after the last entry from which a session is erased, unless it is in use: open in a manager, streamed
   * into, or watched by a transcript, in any tab. Without Web Locks (plain HTTP) other tabs count only while they
   * stream. 0 (default): never.
   */
  readonly ttl: number
  /**
   * How often sessions whose time is over are erased by themselves, as Go writes durations: by the tab that leads,
   * where the manager has a client. Default: only `sweep()` erases, and whoever asks for a session after its time.
   */
  readonly sweepInterval?: string
}

export interface CreateSessionOptions {
  readonly userId?: string
  /** Kept as the session's `custom` metadata. (Aixgo drops it.) */
  readonly metadata?: JsonObject
  /** Milliseconds that this session lives after its last entry, in the place of the configuration's; 0: for ever. */
  readonly ttl?: number
}

export interface ListSessionsOptions {
  /** Only this user's; `''` for everybody's. */
  readonly userId?: string
  /** How many; 0 (default) for all. */
  readonly limit?: number
  /** How many to pass over, from the start of the list. */
  readonly offset?: number
  /** `next` of the page before, in the place of an offset: skips and repeats nothing, however the list grows. */
  readonly cursor?: string
}

/**
 * A session of a manager: Aixgo's `Session`. Its id is `key`, AppendMessage is `append`, GetMessages is `messages`.
 * Live transcripts and sub-turns belong to a client's own handles (`client.session(key)`). Ids of checkpoints that
 * could lead out of a directory are refused (InvalidPathComponent).
 */
export interface ManagedSession extends Omit<Session, 'transcript' | 'ephemeral'> {}

/** Makes and finds the sessions of agents. Safe to be called many times at once, and in many tabs. Source: Aixgo */
export interface SessionManager extends AsyncDisposal {
  /**
   * Makes a session and stores it at once. @throws InvalidPathComponent for a bad name, InvalidInput for metadata that
   * is no JSON
   */
  create(agentName: string, options?: CreateSessionOptions): Promise<ManagedSession>
  /**
   * A session that is there: each time the same object, until it is closed. @throws SessionNotFound,
   * InvalidPathComponent
   */
  get(id: string): Promise<ManagedSession>
  /**
   * The session this user of the agent wrote to last, archived ones aside, or a new one. With no user (`''`) always a
   * new one. Of two calls at once only one makes a session; in different tabs where there are Web Locks. A new one
   * costs a reading of the list of sessions.
   */
  getOrCreate(agentName: string, userId: string): Promise<ManagedSession>
  /** An agent's sessions, the last one written to first. @throws InvalidPathComponent, InvalidInput */
  list(agentName: string, options?: ListSessionsOptions): Promise<SessionPage>
  /** Hides a session behind a tombstone. @throws SessionNotFound, also when it was deleted already */
  delete(id: string): Promise<void>
  /** Brings a deleted session back as it was. @throws SessionNotFound when there is none, or it was purged */
  undelete(id: string): Promise<void>
  /** Erases a session for good: entries, checkpoints, drafts, names. Nothing to do where there is none. */
  purge(id: string): Promise<void>
  /**
   * Erases every session whose time is over; one that is asked for after its time is erased anyway. Those in use stay
   * (`ttl` says what that is), and so does what is written to while it is about to go. Returns the keys of those that
   * went. Source: Aixgo, the TTL of its Redis store
   */
  sweep(): Promise<readonly string[]>
  /**
   * Closes the sessions and then the store: from then on everything rejects with StorageClosed. Closing twice is fine.
   */
  close(): Promise<void>
}
