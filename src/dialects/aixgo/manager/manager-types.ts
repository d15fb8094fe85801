import type { StoreMode } from '../../../client/open-options.ts'
import type { Session } from '../../../client/session-contract.ts'
import type { AsyncDisposal } from '../../../contract/disposal.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionPage } from '../../../contract/store/session-metadata.ts'

/**
 * When checkpoints are created automatically. Every write to an open session counts, from any tab. If the manager has a
 * bare store instead of a client, only writes through the manager's own objects count.
 */
export interface AutoSaveSettings {
  readonly autoSave: boolean
  /**
   * The longest time from a write to the next checkpoint, as a Go duration: `5m`, `1h30m`, `90s`; `0s` for no limit.
   */
  readonly interval: string
  /** Also creates a checkpoint after this many answers. Default: not by answers. */
  readonly everyTurns?: number
  /** How many automatic checkpoints of a session are kept; the oldest are deleted first. Default 10. */
  readonly keep?: number
}

/** Aixgo's configuration of sessions, with a browser's storage instead of directories and servers. */
export interface ManagerConfig {
  /** `false` switches sessions off: `createSessionManager` throws. */
  readonly enabled: boolean
  /** The kinds of storage to use: the `modes` for `openSessionStore`, which the app calls. */
  readonly store: readonly StoreMode[]
  /**
   * Name of the database, also for `openSessionStore`; with a client the client's name. Managers with the same name
   * never create two sessions for one user at once.
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
   * How often expired sessions are erased automatically, as a Go duration; with a client only by the leading tab.
   * Default: expired sessions are erased only by `sweep()` and when they are requested.
   */
  readonly sweepInterval?: string
}

export interface CreateSessionOptions {
  readonly userId?: string
  /** Stored as the session's `custom` metadata. (Aixgo drops it.) */
  readonly metadata?: JsonObject
  /** Milliseconds that this session lives after its last entry, instead of the configured time; 0: never expires. */
  readonly ttl?: number
}

export interface ListSessionsOptions {
  /** Only this user's sessions; `''` for those of all users. */
  readonly userId?: string
  /** The maximum number of sessions; 0 (default) for all. */
  readonly limit?: number
  /** How many sessions to skip from the start of the list. */
  readonly offset?: number
  /** `next` of the previous page, instead of an offset: no session is skipped or repeated, even if the list grows. */
  readonly cursor?: string
}

/**
 * A session of a manager: Aixgo's `Session`. Its id is `key`, AppendMessage is `append`, GetMessages is `messages`.
 * Live transcripts and sub-turns belong to a client's own handles (`client.session(key)`). Ids of checkpoints that
 * could point outside of a directory are refused (InvalidPathComponent).
 */
export interface ManagedSession extends Omit<Session, 'transcript' | 'ephemeral'> {}

/** Creates and finds the sessions of agents. Concurrent calls are safe, even from several tabs. Source: Aixgo */
export interface SessionManager extends AsyncDisposal {
  /**
   * Creates a session and stores it immediately. @throws InvalidPathComponent for a bad name; InvalidInput for metadata
   * that is not JSON
   */
  create(agentName: string, options?: CreateSessionOptions): Promise<ManagedSession>
  /**
   * Opens an existing session. Returns the same object each time until it is closed. @throws SessionNotFound,
   * InvalidPathComponent
   */
  get(id: string): Promise<ManagedSession>
  /**
   * Opens the session of this user and agent with the last write, except archived ones, or creates one. Without a user
   * (`''`) it always creates one. Of two concurrent calls only one creates a session, even in different tabs if there
   * are Web Locks. Creating one reads the list of sessions first.
   */
  getOrCreate(agentName: string, userId: string): Promise<ManagedSession>
  /** An agent's sessions, by their last write, newest first. @throws InvalidPathComponent, InvalidInput */
  list(agentName: string, options?: ListSessionsOptions): Promise<SessionPage>
  /** Deletes a session, which `undelete` can restore. @throws SessionNotFound, even if it was already deleted */
  delete(id: string): Promise<void>
  /** Restores a deleted session. @throws SessionNotFound when it does not exist or was purged */
  undelete(id: string): Promise<void>
  /** Erases a session for good: entries, checkpoints, drafts, names. Does nothing if it does not exist. */
  purge(id: string): Promise<void>
  /**
   * Erases every expired session. Expired sessions are also erased when they are requested. Sessions in use stay (see
   * `ttl`), and so do those that are written to while they are about to be erased. Returns the keys of the erased ones.
   * Source: Aixgo, the TTL of its Redis store
   */
  sweep(): Promise<readonly string[]>
  /**
   * Closes the sessions and then the store: all later calls reject with StorageClosed. May be called more than once.
   */
  close(): Promise<void>
}
