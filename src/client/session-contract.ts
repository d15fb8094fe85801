import type { DraftView } from '../contract/change.ts'
import type { AsyncDisposal } from '../contract/disposal.ts'
import type { EntryInput, EntryReceipt, EntryRef, EntryView } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import type { MessageIdentity } from '../contract/message-identity.ts'
import type { BranchInfo, SessionMeta } from '../contract/meta.ts'
import type { EntryContent } from '../contract/store/atomic-changes.ts'
import type {
  AppendOptions,
  AppendResult,
  EntryPage,
  ReadOptions,
  RemoveResult,
} from '../contract/store/session-log.ts'
import type { EnsureMetadataResult } from '../contract/store/session-metadata.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { WriteOptions } from '../contract/store/write-options.ts'
import type { BranchMerge, BranchPreview, CopyOptions, NewBranchOptions, SessionTree } from './branches/branch-types.ts'
import type {
  CompactionOutcome,
  CompactOptions,
  ContextOptions,
  ModelContext,
  TitleFunction,
  TitleOptions,
} from './context/context-types.ts'
import type { LiveQuery } from './live-value.ts'
import type { InterruptedReply, MessageStream, StreamOptions } from './message-stream-types.ts'
import type { MessageField } from './session/is-message.ts'
import type { SessionCheckpoints, SessionEntries } from './session-groups.ts'

/** How a session is named when it is opened. For the session that a message belongs to, pass an `InboundMessage`. */
export interface SessionInit extends Partial<Record<MessageField, never>> {
  /** A key or an alias. Absent: a new session with a key of its own (`ses-<ms>`). */
  readonly key?: string
  readonly agentId?: string
  readonly userId?: string
  readonly title?: string
  readonly custom?: JsonObject
}

/** The newest part of a transcript, live. */
export interface TranscriptSnapshot<M extends object = Message> {
  /** In reading order. A reply that is being resumed grows in its place, and is not marked `interrupted` meanwhile. */
  readonly entries: readonly EntryView<M>[]
  /** Ids of those entries that are being resumed, by any tab. */
  readonly resuming: readonly string[]
  /** Whether older entries can be loaded with {@link Transcript.loadEarlier}. */
  readonly more: boolean
  /** Other replies that are being streamed into this session, by any tab. */
  readonly drafts: readonly Pick<DraftView, 'id' | 'mid' | 'role' | 'text' | 'reasoning' | 'parts'>[]
  readonly meta: SessionMeta | undefined
  /** Records that could not be read. */
  readonly skipped: number
}

export interface Transcript<M extends object = Message> extends LiveQuery<TranscriptSnapshot<M>> {
  /** Adds this many older entries to the snapshot (default 100). @throws InvalidInput, for example for an event */
  loadEarlier(count?: number): Promise<void>
}

/** How a session was found by a message. */
export interface SessionIdentity extends MessageIdentity, Omit<EnsureMetadataResult, 'key'> {}

/** The branches of one session. */
export interface SessionBranches<M extends object = Message> {
  list(): Promise<readonly BranchInfo[]>
  /**
   * The forks of all lines and where each choice leads, for a "2 of 3" switcher. Forks that the head does not include
   * have `shown: -1`.
   */
  tree(): Promise<SessionTree<M>>
  /** The branches with what a list shows of each. Costs the same for long and short branches. */
  previews(): Promise<readonly BranchPreview[]>
  /**
   * Opens a branch in front of an entry and makes it the head: everything before the entry stays, and new messages take
   * its place. @throws SessionNotFound, InvalidInput
   */
  before(entry: EntryRef, options?: NewBranchOptions): Promise<BranchInfo>
  /** Opens a branch after an entry and makes it the head. @throws SessionNotFound, InvalidInput */
  after(entry: EntryRef, options?: NewBranchOptions): Promise<BranchInfo>
  /** Makes a branch the head: new messages go there. @throws SessionNotFound, InvalidInput */
  switchTo(id: string, options?: WriteOptions): Promise<void>
  rename(id: string, name: string | null, options?: WriteOptions): Promise<void>
  /**
   * Hides a branch. If it was the head, the line it forked from becomes the head. @throws SessionNotFound, InvalidInput
   * (main)
   */
  delete(id: string, options?: WriteOptions): Promise<void>
  /**
   * Appends to a line (default: the head) what it lacks of another one: messages, custom messages and branch summaries,
   * as the transcript of the other shows them. A `custom` entry of type `merged_branch` in front of the copies names
   * their origin. What the line has or had, as an original or as a copy, is not copied: a second merge adds nothing.
   *
   * @throws SessionNotFound; InvalidInput for unknown branches; ParentMoved when others keep appending to the line;
   *   Aborted when the signal fires: what was copied by then remains, and the next merge copies the rest
   */
  merge(from: string, into?: string, options?: { readonly signal?: AbortSignal }): Promise<BranchMerge>
  /**
   * Makes a new session of the path to an entry: entries with new addresses, edits applied,
   * labels kept, and this session's key in `custom.parentSession`. What was cut is not copied. Reads the whole session,
   * by a job if it is long. Up to 16,384 entries are stored completely or not at all, and more in several steps: others
   * see the part that is stored by then. If the browser ends in between, the same call with the same `key` completes the
   * copy, as long as the path is the same.
   *
   * @throws SessionNotFound; InvalidInput when there is no such entry, or the key belongs to another session; Aborted
   * Source: pi-coding-agent, `createBranchedSession`
   */
  copy(leaf: EntryRef, options?: CopyOptions): Promise<Session<M>>
}

/**
 * One conversation. A handle holds no data of its own: open as many as you like, in as many tabs as you like.
 *
 * @example
 * const session = await client.session('chat-1')
 * await session.append({ role: 'user', content: 'Hello' })
 */
export interface Session<M extends object = Message> extends AsyncIterable<EntryView<M>>, AsyncDisposal {
  /** The key it was opened with, aliases resolved. */
  readonly key: string
  readonly agentName: string
  readonly userId: string
  /** How its key was found, when it was opened by a message. */
  readonly identity?: SessionIdentity
  /** The store's whole contract, for adapters and tests. */
  readonly store: SessionStore
  readonly branches: SessionBranches<M>
  readonly checkpoints: SessionCheckpoints<M>
  readonly entries: SessionEntries<M>
  /** Appends one message. Resolves when it is stored. */
  append(message: M, options?: AppendOptions): Promise<EntryReceipt>
  /**
   * Appends several entries, all or none.
   *
   * @example
   * await session.appendAll([{ type: 'message', message: { role: 'user', content: 'Hello' } }])
   */
  appendAll(entries: readonly EntryInput<M>[], options?: AppendOptions): Promise<AppendResult>
  /**
   * Streams a reply. It is journalled while it grows.
   *
   * @example
   * const reply = session.stream()
   * for await (const text of model) reply.write(text)
   * await reply.end()
   */
  stream(options?: StreamOptions): MessageStream<M>
  /**
   * Replies among the newest `last` entries (1 to 4,096, default 512) that were cut off by a crash, a reload or an
   * abort; their message has `interrupted: true`, and `stopped: true` after an abort. `stream({ resume })` resumes one.
   */
  interrupted(options?: { readonly last?: number }): Promise<readonly InterruptedReply<M>[]>
  /**
   * The newest entries, live across tabs: `last` of them at first (default 50), and those that arrive. Each call starts a query; close it with the view that
   * shows it.
   */
  transcript(options?: { readonly last?: number }): Transcript<M>
  /** One page of entries, once. */
  page(options?: ReadOptions): Promise<EntryPage<M>>
  /** All messages of the transcript, oldest first. Read in pages, so that a long session never blocks the page. */
  messages(options?: { readonly signal?: AbortSignal }): Promise<readonly M[]>
  /**
   * What to send to a model: summary and memo as a system text, then the messages after cuts and compaction, every tool
   * call with its results. With `maxTokens`, the oldest whole turns are left out until it fits.
   *
   * @throws Aborted; InvalidInput for a bad `maxTokens` or an unknown branch; TypeError when `countTokens` or `memo`
   *   return nonsense
   */
  context(options?: ContextOptions): Promise<ModelContext>
  /**
   * Replaces the older part of the context by a summary, when the context costs more than 80,000 tokens; the last 20
   * turns stay. The transcript does not change and nothing is erased. Messages that are appended meanwhile, in any tab,
   * are neither lost nor summarised. Only one run at a time, across all tabs. Source: ai-panel
   *
   * @throws what `summarise` throws; Aborted when the time limit is reached or the signal aborts; SessionNotFound when
   *   the session was deleted
   */
  compact(options: CompactOptions): Promise<CompactionOutcome>
  /**
   * The metadata of the session; `undefined` before the first write. A deleted session still has them, with
   * `deletedAt`.
   */
  meta(): Promise<SessionMeta | undefined>
  /** Sets the title; `null` goes back to the automatic one. */
  rename(title: string | null): Promise<void>
  archive(archived?: boolean): Promise<void>
  /** Replaces the session's tags. */
  tag(tags: readonly string[]): Promise<void>
  /**
   * Replaces the automatic title by a better one, which `make` writes from the beginning of the conversation. A title
   * that a person chose stays.
   *
   * @returns the title as it was stored; `''` when none was
   * @throws what `make` throws; Aborted when the time limit is reached or the signal aborts
   */
  suggestTitle(make: TitleFunction, options?: TitleOptions): Promise<string>
  /**
   * Replaces the content of an entry: a message, or the `data` of another type. The log keeps the original.
   *
   * @throws SessionNotFound; InvalidInput when there is no such entry, or it has another kind of content
   */
  edit(target: EntryRef, content: EntryContent<M>, options?: WriteOptions): Promise<void>
  /** Removes an entry from every view. Reports whether this call did it, as another tab may have been faster. */
  remove(target: EntryRef, options?: WriteOptions): Promise<RemoveResult>
  /**
   * Opens a branch in front of a reply (default: the newest) and makes it the head, so that the next message is its
   * alternative.
   *
   * @example
   * await session.regenerate()
   * const reply = session.stream()
   *
   * @throws InvalidInput when the session is empty or has no such entry
   */
  regenerate(reply?: EntryRef, options?: NewBranchOptions): Promise<BranchInfo>
  /**
   * Appends another version of a message on a branch of its own, which becomes the head; the original stays on its line.
   *
   * @throws InvalidInput when there is no such entry, or it is not a message
   */
  editAndResend(target: EntryRef, message: M, options?: WriteOptions): Promise<AppendResult>
  /** Hides the session behind a tombstone; `client.undelete(key)` brings it back. */
  delete(): Promise<void>
  /**
   * A private session for a sub-task: starts empty, keeps its newest 50 messages in memory only, and is gone on close.
   * Source: PicoClaw
   */
  ephemeral(): Session<M>
  /** Ends open streams (keeping what they have) and live queries. Later calls on this handle throw StorageClosed. */
  close(): Promise<void>
  /** Every entry of the transcript, oldest first, in pages. */
  [Symbol.asyncIterator](): AsyncIterator<EntryView<M>>
}

/** A session that was opened by a message. */
export interface RoutedSession<M extends object = Message> extends Session<M> {
  readonly identity: SessionIdentity
}
