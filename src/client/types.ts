import type { DraftPart, DraftView, StoreChange } from '../contract/change.ts'
import type { AsyncDisposal, Disposal } from '../contract/disposal.ts'
import type { InboundMessage, MessageIdentity, PicoclawMessage, RoutingConfig } from '../contract/message-identity.ts'
import type { EntryInput, EntryReceipt, EntryRef, EntryView } from '../contract/entry.ts'
import type { CompactReport, ExportFormat, FilesReport, ImportReport, JobProgress, SourceFile, StoreRepairReport } from '../contract/job.ts'
import type { Encryption, EncryptionState, ResealReport } from '../contract/encryption.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message, MessagePart } from '../contract/message.ts'
import type { MirrorState } from '../contract/mirror.ts'
import type { BranchInfo, CheckpointInfo, SessionMeta } from '../contract/meta.ts'
import type { SearchFilter, SearchHit, SearchProgress } from '../contract/search.ts'
import type { AppendOptions, AppendResult, CheckpointOptions, EnsureMetadataResult, EntryPage, ListQuery, ReadOptions, RemoveResult, SessionPage, SessionStore, UnflushedWrites, VerifyReport, WriteOptions } from '../contract/store.ts'
import type { BranchedSessionOptions, BranchOperations, LineOperations } from './branches/branch-types.ts'
import type { CompactionOutcome, CompactOptions, ContextOptions, ModelContext, TitleFunction, TitleOptions } from './context/context-types.ts'
import type { MessageField } from './session/is-message.ts'
import type { LeaderState, LeaderWork, LeadOptions } from './leadership/leadership-types.ts'
import type { RetentionPolicy, RetentionReport } from './retention/retention-policy.ts'

export type { CompactReport, ExportFormat, FilesReport, ImportedSession, ImportReport, JobProgress, SkippedLine, SourceFile, StoreRepairReport } from '../contract/job.ts'

/** Where a store lives, best first. */
export type StoreMode = 'worker' | 'inline-worker' | 'in-page' | 'web-storage' | 'memory'

/** A value that stays current. Fits React's `useSyncExternalStore` as it is; the snapshot keeps its identity until it changes. */
export interface LiveQuery<T> extends Disposal {
  /** Calls back after every change of the snapshot. Returns the unsubscriber. */
  subscribe(onChange: () => void): () => void
  /** The newest value; `undefined` until the first one has been read. */
  getSnapshot(): T | undefined
  /** Resolves with the first value (or the newest). Rejects when it can't be read. */
  ready(): Promise<T>
  /** Every new value, newest only: a slow reader skips. */
  [Symbol.asyncIterator](): AsyncIterator<T>
  /** Stops following. Closing twice is fine. `using` does it at the end of its block. */
  close(): void
}

/** By which way a store reaches its database after it was lost: another worker, a worker from a fresh hidden frame (Safari), or not at all. */
export type RecoveryRung = 'worker' | 'frame' | 'memory'

/** What became of a store whose worker or database was lost while it was open. */
export interface RecoveryReport {
  readonly rung: RecoveryRung
  /** Writes that wait in memory for the database. They are gone when the page closes before it is back. */
  readonly held: number
  /** The newest steps, oldest first; `at` in milliseconds since 1970. */
  readonly history: readonly { readonly rung: RecoveryRung; readonly at: number; readonly reason: string }[]
}

/** What {@link SessionClient.health} reports. */
export interface StoreHealth {
  /** `memory` also while a database that was open can't be reached. */
  readonly mode: StoreMode
  /** Whether anything survives the tab. */
  readonly durable: boolean
  /** Every place that was tried before, and why it was not taken. */
  readonly skipped: readonly { readonly mode: StoreMode; readonly reason: string }[]
  /** Name of the database. */
  readonly name: string
  /** Times the worker had to be started again. */
  readonly restarts: number
  /** Absent where nothing was ever lost. */
  readonly recovery?: RecoveryReport
  /**
   * What became of sessions that an earlier run, which had no IndexedDB, kept in Web Storage; absent when there were none. Those `left`
   * are worked on there, and the next start tries again.
   */
  readonly moved?: {
    readonly sessions: readonly string[]
    readonly left: readonly { readonly key: string; readonly reason: string }[]
  }
  /** Whether what is stored is mirrored, and if not, why; absent where it can't be (no worker, no database). */
  readonly mirror?: MirrorState
  /** How what is stored was encrypted when the store was opened; absent when it is plain. */
  readonly encryption?: EncryptionState
  /** Whether the browser has promised not to evict the data; absent where it can't be asked. */
  readonly persisted?: boolean
  readonly originBytes?: number
  readonly quotaBytes?: number
  /** What power loss would take; absent when there is nothing, where the place promises nothing anyway, and when the store did not answer in time. `flush()` sees to it. */
  readonly unflushed?: UnflushedWrites
}

export interface OpenOptions {
  /** Name of the database; stores with the same name share their sessions. Default `keepsession`. */
  readonly name?: string
  /**
   * A function that makes the worker (Trusted Types, custom hosting), or a worker of yours, which is never ended and can't be started
   * again when it dies. It must run `keepsession/worker`.
   */
  readonly worker?: Worker | (() => Worker)
  /**
   * Whether what is stored is also written to files of the origin (OPFS), from which a database that the browser lost is filled again.
   * Default true; only workers can, and not in every browser: `health()` tells.
   */
  readonly mirror?: boolean
  /**
   * Sets the sessions of one user apart from those of others on the same browser profile, in a database, mirror and search index of their own;
   * sessions that are made get it as their `userId`. Signing out is closing the store.
   */
  readonly userId?: string
  /**
   * Encrypts what is stored, with a key or a passphrase that opens it again. What was stored plain before is encrypted once the store is
   * open. Sessions are then kept in IndexedDB only, or in memory. See docs/encryption.md for what it protects against, and what it does not.
   */
  readonly encryption?: Encryption
  /** Which modes may be used, in this order. Default: all. */
  readonly modes?: readonly StoreMode[]
  /** How long each mode may take to get ready, in milliseconds. Default 4,000. */
  readonly timeoutMs?: number
  /** Called with every change, from this tab and the others. The same as `subscribe` right after opening, but misses nothing. */
  readonly onChange?: (change: StoreChange) => void
  /**
   * Which agent a message goes to and what its sessions are set apart by: PicoClaw's config.json, or the parts of it named here.
   * Default: agent `main`, one session for each chat. A mistake in it is refused (InvalidInput) before anything is opened.
   */
  readonly routing?: RoutingConfig
  /** Limits that are kept by themselves: some seconds after the opening, and then every few hours. What was done is told by the notice `retained`. */
  readonly retention?: RetentionPolicy
}

/**
 * What the browser said when it was asked to keep the data: `unanswered` in time (Firefox waits for the user), `unavailable` where it can't be
 * asked (plain HTTP, WebKitGTK).
 */
export type PersistAnswer = 'granted' | 'denied' | 'unanswered' | 'unavailable'

/** How a session is named when it is opened. Never by where a message comes from: that is an {@link InboundMessage}. */
export interface SessionInit extends Partial<Record<MessageField, never>> {
  /** A key or an alias. Absent: a new session with a key of its own (`ses-<ms>`). */
  readonly key?: string
  readonly agentId?: string
  readonly userId?: string
  readonly title?: string
  readonly custom?: JsonObject
}

/** A reply that is being streamed. */
export interface MessageStream {
  /** The draft's id. Rejects when the reply can't begin at once; where there was no room for it, it begins as soon as there is. */
  readonly id: Promise<string>
  /** All text so far, that of the reply it resumes included. */
  readonly text: string
  /** Everything so far, in the order it came. */
  readonly parts: readonly DraftPart[]
  /** Adds text. Never waits: pieces are journalled together at a bounded rate, so that a crash takes what came in the last 150 ms, or since the last write began when writes are slow. @throws TypeError for what is no text, or after the end */
  write(text: string): void
  /** Adds reasoning text. @throws TypeError */
  writeReasoning(text: string): void
  /** Adds to the input of a tool: the JSON text it is called with, in pieces that belong together by the id of the call. @throws TypeError */
  writeToolInput(piece: { readonly id: string; readonly name?: string; readonly input?: string }): void
  /** Adds a whole structured part (an image, a citation, a provider's own kind). @throws TypeError; InvalidInput for what can't be stored as JSON */
  writePart(part: Exclude<MessagePart, string>): void
  /**
   * Stores the reply as one entry: text as `content`, or, with structured parts, a list of both; `reasoning_content`; `tool_calls`. `message`
   * replaces what was streamed. A reply that was resumed becomes whole in its place. When it can't be stored it can be ended again.
   */
  end(message?: Message): Promise<EntryReceipt>
  /** Ends early: keeps what was streamed as an entry marked `interrupted`, or drops it. A reply that was resumed stays in any case: as it is now, or as it was. Rejects only while there is something to keep that can't be stored; it can be ended again then. */
  abort(options?: { readonly keep?: boolean }): Promise<EntryReceipt | undefined>
}

/** A reply that was cut off, and what there is of it. */
export interface InterruptedReply extends EntryView {
  readonly message: Message
  readonly text: string
  readonly reasoning: string
  /** Everything it has; order is known of the text and the structured parts. */
  readonly parts: readonly DraftPart[]
}

/** The newest part of a transcript, live. */
export interface TranscriptSnapshot {
  /** In reading order. A reply that is being resumed grows in its place. */
  readonly entries: readonly EntryView[]
  /** Whether older entries can be loaded with {@link Transcript.loadEarlier}. */
  readonly more: boolean
  /** Other replies being streamed into this session, from any tab. */
  readonly drafts: readonly Pick<DraftView, 'id' | 'role' | 'text' | 'reasoning' | 'parts'>[]
  readonly meta: SessionMeta | undefined
  /** Records that could not be read. */
  readonly skipped: number
}

export interface Transcript extends LiveQuery<TranscriptSnapshot> {
  /** Makes the snapshot longer by so many older entries (default 100). */
  loadEarlier(count?: number): Promise<void>
}

export interface StreamOptions {
  /** Default `assistant`. */
  readonly role?: string
  readonly branch?: string
  /**
   * An interrupted reply to go on with, as it was read: the stream begins with what it has, and its end makes that entry whole. `id` rejects,
   * and so does the end, with ParentMoved when it was edited since, with AccessDenied while another stream goes on with it, with
   * InvalidInput when it is whole by now, or gone.
   */
  readonly resume?: EntryView
}

/** How a session was found by a message. */
export interface SessionIdentity extends MessageIdentity, Omit<EnsureMetadataResult, 'key'> {}

/** One conversation. Holds no data of its own: as many handles as you like, in as many tabs as you like. */
export interface Session extends AsyncIterable<EntryView>, BranchOperations, LineOperations, AsyncDisposal {
  /** The key it was opened with, alias resolved. */
  readonly key: string
  readonly agentName: string
  readonly userId: string
  /** How its key came about, when it was opened by a message. What the session itself is shared by is in its `meta()`. */
  readonly identity?: SessionIdentity
  /** Appends one message. Resolves when stored. */
  append(message: Message, options?: AppendOptions): Promise<EntryReceipt>
  /** Appends several entries, all or none. */
  appendAll(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
  /** Streams a reply; it is journalled while it grows. */
  stream(options?: StreamOptions): MessageStream
  /** Replies among the newest `last` entries (1 to 4,096, default 512) that were cut off by a crash, a reload or an abort: `stream({ resume })` goes on with one. */
  interrupted(options?: { readonly last?: number }): Promise<readonly InterruptedReply[]>
  /** All messages of the transcript, oldest first. Read in pages, so that a long session never blocks the page. */
  messages(options?: { readonly signal?: AbortSignal }): Promise<readonly Message[]>
  /** The stored messages after cuts and compaction, as PicoClaw's `getHistory` gives them. To be sent to a model: {@link Session.context}. */
  history(): Promise<readonly Message[]>
  /**
   * What to send to a model: summary and memo as a system text, then the messages after cuts and compaction, every tool call with its
   * results. With `maxTokens` the oldest whole turns are left out until it fits.
   *
   * @throws Aborted; InvalidInput for a bad `maxTokens` or an unknown branch; TypeError when `countTokens` or `memo` give nonsense
   */
  context(options?: ContextOptions): Promise<ModelContext>
  /**
   * Puts a summary in the place of the older part of the context, when that costs more than 80,000 tokens; the last 20 turns stay. The
   * transcript is as before. What is appended meanwhile, here or elsewhere, is neither lost nor summarised; one run at a time, in all tabs.
   *
   * @throws what `summarise` throws; Aborted when its time is over or the signal fires; SessionNotFound when the session was deleted
   * Source: ai-panel
   */
  compact(options: CompactOptions): Promise<CompactionOutcome>
  /**
   * Has a better title than the first message made of the beginning of the conversation. A title that somebody chose stays.
   *
   * @returns the title as it was stored; `''` when none was
   * @throws what `make` throws; Aborted when its time is over or the signal fires
   */
  suggestTitle(make: TitleFunction, options?: TitleOptions): Promise<string>
  page(options?: ReadOptions): Promise<EntryPage>
  /** The newest entries, live across tabs. One shared query for each call; dispose it when the view goes. */
  transcript(options?: { readonly last?: number }): Transcript
  meta(): Promise<SessionMeta | undefined>
  rename(title: string | null): Promise<void>
  archive(archived?: boolean): Promise<void>
  edit(target: EntryRef, message: Message, options?: WriteOptions): Promise<void>
  /** Takes an entry out of every view; says whether this call did, as another tab may have been faster. */
  remove(target: EntryRef, options?: WriteOptions): Promise<RemoveResult>
  /** Saves the position of the head line, with the checksum of the messages on it. Source: Aixgo */
  checkpoint(options?: CheckpointOptions): Promise<CheckpointInfo>
  /** The checkpoints, oldest first. */
  checkpoints(): Promise<readonly CheckpointInfo[]>
  /**
   * Shows the session as a checkpoint saw it, on a new branch that is the head from then on; what came since stays on its own line. Gives back
   * the agent's state. @throws CheckpointNotFound (one of another session, too); ChecksumMismatch when a message is missing or was tampered with
   */
  restore(checkpoint: string, options?: WriteOptions): Promise<{ readonly branch: BranchInfo; readonly state?: JsonObject }>
  /** @throws CheckpointNotFound */
  deleteCheckpoint(checkpoint: string): Promise<void>
  /**
   * Makes a new session of the path to an entry, all or nothing: entries with new addresses, edits applied, labels kept, and this session's key
   * in `custom.parentSession`. What was cut does not come along. Reads the whole session, by a job.
   *
   * @throws SessionNotFound; InvalidInput when there is no such entry, or the key has another session
   * Source: pi-coding-agent, `createBranchedSession`
   */
  createBranchedSession(leaf: EntryRef, options?: BranchedSessionOptions): Promise<Session>
  /** Behind a tombstone; `store.undelete(key)` brings it back. */
  delete(): Promise<void>
  /** A private session for a sub-turn: newest 50 messages, in memory only, gone on close (PicoClaw's ephemeral store). */
  ephemeral(): Session
  /** Ends open streams (keeping what they have) and live queries of this handle. */
  close(): Promise<void>
  /** Every entry of the transcript, oldest first, in pages. */
  [Symbol.asyncIterator](): AsyncIterator<EntryView>
}

/** A session that was opened by a message. */
export interface RoutedSession extends Session {
  readonly identity: SessionIdentity
}

/** A long piece of work: iterate it for progress, await `result` for the end. */
export interface Job<T> extends AsyncIterable<JobProgress> {
  readonly result: Promise<T>
}

export interface ImportOptions {
  readonly signal?: AbortSignal
}

export interface CheckOptions {
  /** Key or alias of the one session to look at. Default: all. */
  readonly key?: string
  readonly signal?: AbortSignal
}

export interface ChangeEncryptionOptions {
  /** Default false. */
  readonly rotate?: boolean
  readonly signal?: AbortSignal
}

export interface AgentlyImportOptions extends ImportOptions {
  /** The session to load the state into: a key or alias. Default: the session of the state's id. */
  readonly key?: string
}

export interface AgentlyExportOptions {
  /** Default `json`. */
  readonly as?: 'json' | 'yaml'
  readonly signal?: AbortSignal
}

/**
 * Files: as an `<input type="file" webkitdirectory>` or a drop gives them, or with paths of your own; the handle of a
 * directory; or one file, such as a zip.
 */
export type FilesSource = Iterable<File | SourceFile> | FileSystemDirectoryHandle | Blob

export interface PicoClawExportOptions {
  /** Keys or aliases. Default: every session that is not deleted. */
  readonly keys?: readonly string[]
  /** `zip` gives one file, an archive of the others. Default `files`. */
  readonly as?: 'files' | 'zip'
  readonly signal?: AbortSignal
}

/** A file to be saved. */
export type ExportedFile = SourceFile

/** What a search is about, and how it can be ended. */
export interface SearchOptions extends SearchFilter {
  /** Ends waiting for the answer. */
  readonly signal?: AbortSignal
  /** Called while the answer waits until sessions are indexed: at the first search ever, or when much has changed since the last. */
  readonly onProgress?: (progress: SearchProgress) => void
}

/** What {@link openSessionStore} gives: the store's contract, plus what only makes sense in a page. */
export interface SessionClient extends SessionStore, AsyncDisposal {
  /** Of its database. */
  readonly name: string
  /** A handle on a session: by key or alias, by its parts, or a new one. Nothing is written until the first append, unless parts are given. */
  session(target?: string | SessionInit): Promise<Session>
  /**
   * A handle on the session a message belongs to. An object is a message when it has any field of one, even with no value; `agentId`
   * alone is none. Scope, aliases and agent are written at once, where they are new; to a deleted session with its first append, which
   * starts it afresh. Writes no history.
   *
   * @param options - `routing` in place of the client's, where it changes while the client is open (people who link their accounts)
   * @throws InvalidInput when a field is no text, no field has a value, or a `key` is named as well
   * Source: PicoClaw: route, allocation, `resolveScopeKey`, `EnsureSessionMetadata`
   */
  session(message: InboundMessage | PicoclawMessage, options?: Pick<OpenOptions, 'routing'>): Promise<RoutedSession>
  /** A handle on an agent's main session (default: of agent `main`), which belongs to no chat: for what the app itself has to say. */
  mainSession(agentId?: string): Promise<Session>
  /** The list of sessions, live across tabs. */
  sessions(query?: ListQuery): LiveQuery<SessionPage>
  /**
   * Messages that have all the words of a query, best first. What this page has stored before the call is found, and what other tabs have
   * stored within half a second. White space separates words, `"…"` holds words together, the last word may go on. The first search ever
   * waits until everything is indexed.
   *
   * @throws InvalidInput, Aborted, StorageClosed, WorkerLost
   */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>
  /**
   * Does work that must be done once for all tabs: in the one that leads, and from there on in the next one when it is closed, crashes, hangs or
   * is frozen. Until this tab leads the work waits; where it loses the office the work's signal fires, and it begins again once this tab leads
   * again. Every tab of an app does well to offer the same work. A write that names the work's `term` is refused (NotLeader) once another tab leads, also
   * one of a tab that slept through that.
   *
   * @example
   * void store.lead(async (term, signal) => {
   *   const digest = await makeDigest(signal)
   *   await store.append('digest', [{ type: 'message', message: digest }], { term })
   * })
   *
   * @returns what the work gave
   * @throws what the work throws while this tab leads; Aborted when the signal fires; StorageClosed
   */
  lead<T>(work: LeaderWork<T>, options?: LeadOptions): Promise<T>
  /** Whether this tab leads, live. From the first call on it stands for leader. */
  leadership(): LiveQuery<LeaderState>
  /** Every change, from this tab and the others. Returns the unsubscriber. */
  subscribe(listener: (change: StoreChange) => void): () => void
  health(): Promise<StoreHealth>
  /**
   * Asks the browser not to evict this origin's data. Firefox asks the user: call it where that makes sense to them.
   *
   * @param options - `timeoutMs`: how long to wait for the answer, default 5,000; `Infinity` for ever
   * @throws InvalidInput for a bad `timeoutMs`
   */
  persist(options?: { readonly timeoutMs?: number }): Promise<PersistAnswer>
  /**
   * Puts away, compacts or deletes sessions beyond the limits of a policy, the longest unused first; those in use, or with the tag `pinned`,
   * stay. With `dryRun` it only says what it would do. In one tab at a time; the others do nothing meanwhile.
   *
   * @throws InvalidInput for a bad policy
   */
  retain(policy: RetentionPolicy, options?: { readonly dryRun?: boolean }): Promise<RetentionReport>
  /** {@link SessionStore.verify} of one session or all, off the page, with progress: bytes and entries checked, problems as `skipped`. Its result rejects with Aborted. */
  verifyStore(options?: CheckOptions): Job<VerifyReport>
  /**
   * {@link SessionStore.repair} of one session or all, off the page; then takes back from the mirror what was lost, where there is one. Its result
   * rejects with Aborted, and what was mended by then stays so.
   */
  repairStore(options?: CheckOptions): Job<StoreRepairReport>
  /** {@link SessionStore.compact} of one session or all, off the page, with progress. Its result rejects with Aborted; what was reclaimed by then stays so. */
  compactStore(options?: CheckOptions): Job<CompactReport>
  /** Imports a session log in pi's JSONL format (v1 to v3), off the page, streaming. The same file again adds nothing. */
  importJsonl(source: Blob, options?: ImportOptions): Job<ImportReport>
  /**
   * Imports what other apps exported, told by content and not by name: ChatGPT, Claude.ai, Claude Code, pi, Open WebUI, ShareGPT, OpenAI
   * messages, Agently's JSON, directories of PicoClaw, ai-panel and Aixgo, and archives of {@link exportFiles}; plain, zipped or gzipped. Off
   * the page, one conversation at a time. The same again adds nothing, what grew adds what is new; with `dryRun` nothing is written.
   *
   * @returns its result rejects with InvalidInput, TooLarge or VersionConflict when nothing there can be imported; Aborted
   */
  importFiles(source: FilesSource, options?: ImportOptions & { readonly dryRun?: boolean }): Job<FilesReport>
  /** Writes sessions as files, off the page. @returns its result rejects with SessionNotFound, InvalidPathComponent (`aixgo`), TooLarge, Aborted */
  exportFiles(format: ExportFormat, options?: PicoClawExportOptions): Job<readonly ExportedFile[]>
  /**
   * Imports PicoClaw's session directories (`.jsonl` with `.meta.json`, and `.json` of before), off the page, streaming. The same again
   * adds nothing, what has grown adds what is new; the source is left as it is.
   */
  importPicoClaw(source: FilesSource, options?: ImportOptions): Job<ImportReport>
  /**
   * Writes sessions as PicoClaw keeps them: for each a `.jsonl` and a `.meta.json`. What a model no longer gets (cut or summarised) lies
   * before `skip`. Only the current line of a session goes out, and of content in parts its text. @throws Aborted, SessionNotFound
   */
  exportPicoClaw(options?: PicoClawExportOptions): AsyncIterable<ExportedFile>
  /**
   * Imports the state of an AgentlyMemoSession, JSON or YAML, off the page. Without a key it goes to the session with its id: the same again
   * adds nothing, what has grown adds what is new. With a key that session gets the state, as by Agently's `load`: what the file doesn't say
   * stays as it is. The report lists what was left out, such as settings outside `session`. Its `result` rejects with a TypeError when the
   * file holds no object. @throws SessionNotFound (a deleted `key`), InvalidInput, TooLarge, Aborted
   */
  importAgently(source: Blob, options?: AgentlyImportOptions): Job<ImportReport>
  /**
   * Writes a session's state as AgentlyMemoSession does, off the page: the head line (`full_chat_history`), what a model gets
   * (`current_chat_history`), memo, counters, and of the settings those below `session` that are its own. @throws SessionNotFound, Aborted
   */
  exportAgently(key: string, options?: AgentlyExportOptions): Job<ExportedFile>
  /**
   * Changes what an encrypted store is locked with: another key or passphrase, `undefined` for the same, `null` to make it plain. With
   * `rotate`, a new data key is drawn and everything is written anew with it, beside the work of all tabs; so is it for `null`. What breaks off is gone on
   * with at the next start. @returns its result rejects with WrongPassphrase, InvalidInput (also for a store that was opened plain), Aborted
   */
  changeEncryption(to?: Encryption | null, options?: ChangeEncryptionOptions): Job<ResealReport>
}
