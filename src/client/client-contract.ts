import type { StoreChange } from '../contract/change.ts'
import type { AsyncDisposal } from '../contract/disposal.ts'
import type { Encryption, ResealReport } from '../contract/encryption.ts'
import type { ExportFormat, FilesReport, ReclaimReport, SourceFile, StoreRepairReport } from '../contract/job.ts'
import type { Message } from '../contract/message.ts'
import type { InboundMessage, PicoclawMessage } from '../contract/message-identity.ts'
import type { SearchFilter, SearchHit, SearchProgress } from '../contract/search.ts'
import type { ListQuery, SessionPage } from '../contract/store/session-metadata.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { UsageOptions, UsageReport, VerifyReport } from '../contract/store/store-upkeep.ts'
import type { Collection } from './collection.ts'
import type { Job } from './job-handle.ts'
import type { LeaderState, LeaderWork, LeadOptions } from './leadership/leadership-types.ts'
import type { LiveQuery } from './live-value.ts'
import type { OpenOptions } from './open-options.ts'
import type { RetentionPolicy, RetentionReport } from './retention/retention-policy.ts'
import type { RoutedSession, Session, SessionInit } from './session-contract.ts'
import type { PersistAnswer, StoreHealth } from './store-health.ts'

/**
 * Files: as an `<input type="file" webkitdirectory>` or a drop provides them, or with paths of your own; the handle of
 * a directory; or one file, such as a zip.
 */
export type FilesSource = Iterable<File | SourceFile> | FileSystemDirectoryHandle | Blob

/** A file to be saved. */
export type ExportedFile = SourceFile

export interface ImportOptions {
  /** Reads everything and reports what would be imported, but writes nothing. Default false. */
  readonly dryRun?: boolean
  /**
   * What the source is, where its content alone should not decide: a session log of `pi` (v1 to v3), a session
   * directory of `picoclaw`, or the state of one AgentlyMemoSession (`agently`, JSON or YAML). Default: recognised by
   * content.
   */
  readonly format?: 'pi' | 'picoclaw' | 'agently'
  /**
   * The session, by key or alias, that the state of an AgentlyMemoSession is loaded into, as by Agently's `load`: what
   * the file does not name stays as it is. Implies `format: 'agently'`. Default: the session of the state's own id.
   */
  readonly key?: string
  readonly signal?: AbortSignal
}

export interface ExportOptions {
  /**
   * Keys or aliases. Default: every session that is not deleted. A deleted one that is named is written into an archive,
   * from which it comes back deleted; every other format refuses it (SessionNotFound).
   */
  readonly keys?: readonly string[]
  /** `zip` gives one file, an archive of the others. Default `files`. */
  readonly as?: 'files' | 'zip'
  readonly signal?: AbortSignal
}

/** Sessions in and out, as files. */
export interface ClientFiles {
  /**
   * Imports what other apps exported, recognised by content and not by name: ChatGPT, Claude.ai, Claude Code, pi, Open
   * WebUI, ShareGPT, messages of OpenAI and the AI SDK, Agently's JSON, directories of PicoClaw, ai-panel and Aixgo,
   * and archives of {@link export}; plain, zipped or gzipped. It runs off the page, one conversation at a time, and
   * leaves the source as it is. The same file again adds nothing; a file that has grown adds what is new. A session
   * that was deleted here stays deleted, and the report lists it in `skipped`; `client.undelete()` brings it back.
   *
   * @returns its result rejects with InvalidInput, TooLarge or VersionConflict when nothing can be imported;
   *   SessionNotFound (a deleted `key`); Aborted
   */
  import(source: FilesSource, options?: ImportOptions): Job<FilesReport>
  /**
   * Writes sessions as files, off the page.
   *
   * @returns its result rejects with SessionNotFound, InvalidPathComponent (`aixgo`), TooLarge, Aborted
   */
  export(format: ExportFormat, options?: ExportOptions): Job<readonly ExportedFile[]>
}

/** Bytes that messages name by their hash, such as images. */
export interface ClientBlobs {
  /**
   * Stores bytes; returns their SHA-256 in hex. A message names them by that hash anywhere in its data, for example in a
   * part `{ type: 'image', blob: hash }`. Bytes stay while an entry names them; bytes that none names are deleted after
   * a day.
   */
  put(blob: Blob): Promise<string>
  /** The bytes, or `undefined` when there are none of that hash. @throws ChecksumMismatch */
  get(hash: string): Promise<Blob | undefined>
}

export interface CheckOptions {
  /** Key or alias of the one session to work on. Default: all. */
  readonly key?: string
  readonly signal?: AbortSignal
}

export interface ChangeEncryptionOptions {
  /** Draws a new data key and writes everything again with it. Default false. */
  readonly rotate?: boolean
  readonly signal?: AbortSignal
}

/** Health, space and repair of the whole store. */
export interface ClientUpkeep {
  /** Where the store lives, whether it is durable, and what was lost or repaired. */
  health(): Promise<StoreHealth>
  /** What is stored, and which sessions take most. @throws InvalidInput for a bad `largest` */
  usage(options?: UsageOptions & { readonly key?: string }): Promise<UsageReport>
  /**
   * Asks the browser not to evict this origin's data. Firefox asks the user: call it where that makes sense to them.
   *
   * @param options - `timeoutMs`: how long to wait for the answer, default 5,000; `Infinity` for no limit
   * @throws InvalidInput for a bad `timeoutMs`
   */
  persist(options?: { readonly timeoutMs?: number }): Promise<PersistAnswer>
  /**
   * Archives, compacts or deletes sessions beyond the limits of a policy, the longest unused first; sessions in use and
   * those with the tag `pinned` stay. With `dryRun` it only reports what it would do. It runs in one tab at a time.
   *
   * @throws InvalidInput for a bad policy
   */
  retain(policy: RetentionPolicy, options?: { readonly dryRun?: boolean }): Promise<RetentionReport>
  /**
   * Checks every stored record of one session or all. Progress counts bytes and entries checked, and problems as
   * `skipped`.
   */
  verify(options?: CheckOptions): Job<VerifyReport>
  /**
   * Repairs one session or all, then restores from the mirror what was lost. After Aborted, what was repaired stays so.
   */
  repair(options?: CheckOptions): Job<StoreRepairReport>
  /**
   * Erases what is visible nowhere, in one session or all, and returns its space. After Aborted, what was reclaimed
   * stays so.
   */
  reclaim(options?: CheckOptions): Job<ReclaimReport>
  /** Resolves once everything acknowledged before the call survives power loss. */
  flush(): Promise<void>
  /**
   * Changes what an encrypted store is locked with: another key or passphrase, `undefined` for the same, `null` to
   * decrypt it. With `rotate`, and for `null`, everything is written again while all tabs keep working. An interrupted
   * change resumes at the next start.
   *
   * @returns its result rejects with WrongPassphrase, InvalidInput (also for a store that was opened without
   *   encryption), Aborted
   */
  changeEncryption(to?: Encryption | null, options?: ChangeEncryptionOptions): Job<ResealReport>
}

/** What a search covers, and how it can be cancelled. */
export interface SearchOptions extends SearchFilter {
  /** Stops waiting for the answer. */
  readonly signal?: AbortSignal
  /**
   * Called while sessions are indexed before the answer: at the first search ever, or when much has changed since the
   * last.
   */
  readonly onProgress?: (progress: SearchProgress) => void
}

/** What {@link openSessionStore} returns: all sessions of one database. */
export interface SessionClient<M extends object = Message> extends AsyncDisposal {
  /** Name of the database. */
  readonly name: string
  /** The whole contract of the store behind it, for adapters, tests and those who want it. */
  readonly store: SessionStore
  /** Attachments: `put`, `get`. */
  readonly blobs: ClientBlobs
  /** Sessions in and out as files: `import`, `export`. */
  readonly files: ClientFiles
  /** Health, space, checks and encryption: `health`, `usage`, `persist`, `retain`, `verify`, `repair`, `reclaim`. */
  readonly upkeep: ClientUpkeep
  /**
   * Opens a handle on a session: by key or alias, by its parts, or a new one. Nothing is written until the first
   * append, unless parts are given.
   */
  session(target?: string | SessionInit): Promise<Session<M>>
  /**
   * Opens a handle on the session that a message belongs to. An object is a message when it has any field of one, even
   * with no value; `agentId` alone is not enough. Scope, aliases and agent are written at once if they are new; for a
   * deleted session with its first append, which restarts it. Writes no history. Source: PicoClaw: route, allocation,
   * `resolveScopeKey`, `EnsureSessionMetadata`
   *
   * @param options - `routing` replaces the client's, where it changes while the client is open (people who link their
   *   accounts)
   * @throws InvalidInput when a field is not a string, no field has a value, or a `key` is named as well
   */
  session(message: InboundMessage | PicoclawMessage, options?: Pick<OpenOptions, 'routing'>): Promise<RoutedSession<M>>
  /** Opens the main session of an agent (default `main`), which belongs to no chat: for messages of the app itself. */
  mainSession(agentId?: string): Promise<Session<M>>
  /** The list of sessions, live across tabs. For a longer list, open a query with a higher `limit`. */
  sessions(query?: ListQuery): LiveQuery<SessionPage>
  /** One page of the list, once. */
  listSessions(query?: ListQuery): Promise<SessionPage>
  /**
   * Finds messages that have all the words of a query, best first. It finds everything this page stored before the
   * call, and what other tabs stored until half a second ago. White space separates words, `"…"` keeps words together,
   * the last word may be unfinished. The first search ever waits until everything is indexed.
   *
   * @throws InvalidInput, Aborted, StorageClosed, WorkerLost
   */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>
  /** Private rows beside the sessions, under a name of 1 to 256 characters. A bad name is refused by the first call. */
  collection(name: string): Collection
  /** Moves a session to the trash. @throws SessionNotFound */
  delete(key: string): Promise<void>
  /** Brings a session back from the trash. @throws SessionNotFound */
  undelete(key: string): Promise<void>
  /** Erases a session for good. */
  purge(key: string): Promise<void>
  /**
   * Does work that must be done once for all tabs: in the tab that leads, and in the next one when that tab is closed,
   * crashes, hangs or is frozen. The work waits until this tab leads. When this tab stops leading, the signal of the
   * work aborts; the work restarts if the tab leads again. Offer the same work in every tab of an app. A write that
   * names the work's `term` is refused (NotLeader) once another tab leads, even if this tab slept through the change.
   *
   * @example
   * void client.lead(async (term, signal) => {
   *   const digest = await makeDigest(signal)
   *   await client.store.append('digest', [{ type: 'message', message: digest }], { term })
   * })
   *
   * @returns what the work returned
   * @throws what the work throws while this tab leads; Aborted when the signal aborts; StorageClosed
   */
  lead<T>(work: LeaderWork<T>, options?: LeadOptions): Promise<T>
  /** Whether this tab leads, live. From the first call on, the tab is a candidate. */
  leadership(): LiveQuery<LeaderState>
  /** Calls back with every change, from this tab and the others. Returns a function that unsubscribes. */
  subscribe(listener: (change: StoreChange) => void): () => void
  /** Aborts once the client is closed: by the app, or because `deleteSessionStore` erases the store. */
  readonly closed: AbortSignal
  /** Ends streams and live queries, settles pending calls and releases the database. */
  close(): Promise<void>
}
