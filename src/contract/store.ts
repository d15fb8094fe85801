import type { ChangeSink, DraftChunk, DraftView } from './change.ts'
import type { Entry, EntryInput, EntryReceipt, EntryRef, EntryView, VersionVector } from './entry.ts'
import type { JsonObject } from './json.ts'
import type { Message } from './message.ts'
import type { BranchInfo, CheckpointInfo, MetaPatch, SessionListing, SessionMeta } from './meta.ts'
import type { SessionScope } from './scope.ts'
import type { LeaderTerm, TermClaim, TermOptions } from './term.ts'
import type { Reclaimable } from './reclaimable.ts'

/** `strict` survives power loss; `relaxed` survives the death of tab, worker and browser. */
export type Durability = 'strict' | 'relaxed'

/** What every write takes. */
export interface WriteOptions extends TermOptions {
  /**
   * Makes the call safe to repeat: the same id with the same content changes nothing and returns the first result; with other content
   * it rejects with OperationConflict. Kept for the newest 1,024 operations of a session, and as long as what the call made is there: once the
   * session was deleted, begun afresh or purged, or its line emptied, the call is done anew. After an undelete it is known again.
   */
  readonly operationId?: string
  /** Default: `strict` where a user or a finished turn is at stake, otherwise `relaxed`. */
  readonly durability?: Durability
}

export interface HistoryOptions extends WriteOptions {
  /** Keeps transient thoughts (reasoning without content), which PicoClaw drops. */
  readonly keepThoughts?: boolean
}

export interface MetaOptions extends WriteOptions {
  /** What these fields read when the patch was made of them: when one reads otherwise by now, the patch is refused (ParentMoved). */
  readonly previous?: { readonly memo?: JsonObject; readonly custom?: JsonObject; readonly contextState?: JsonObject }
}

export interface AppendOptions extends WriteOptions {
  /** The line to append to. Default: the head. */
  readonly branch?: string
  /** Compare-and-append: the last entry the caller saw on the line's raw tail (its order), or `''` for an empty line. */
  readonly parent?: string
  /** What happens when the line has moved past `parent`: `append` anyway (default), open a `branch` at `parent`, or `refuse` (ParentMoved). */
  readonly onConflict?: 'append' | 'branch' | 'refuse'
  /**
   * What happens when the session was deleted: `restart` it without the old content (default, L12), or `refuse` (SessionNotFound)
   * unless a session that is not deleted has this key, which also catches one that was purged. Handles that saw the session refuse,
   * so that none brings back what somebody deleted meanwhile.
   */
  readonly onDeleted?: 'refuse' | 'restart'
}

export interface AppendResult {
  readonly entries: readonly EntryReceipt[]
  /** The branch written to; differs from the one asked for when `onConflict: 'branch'` opened one. */
  readonly branch: string
  /** Whether the line had moved past `parent`. */
  readonly moved: boolean
}

export interface RemoveResult {
  /** Whether this call took the entry out. False: it was out already, another tab or an earlier call was first, and nothing was written. */
  readonly removed: boolean
}

/**
 * `transcript`: what a person scrolls (cuts applied). `context`: what a model gets (cuts and the active compaction). `raw`: every
 * entry of the line that is not purged, removed ones too.
 */
export type View = 'transcript' | 'context' | 'raw'

export interface ReadOptions {
  /** Default: the head. */
  readonly branch?: string
  /** Default `transcript`. */
  readonly view?: View
  /** The last so many entries. */
  readonly last?: number
  /** The `limit` entries before this order. */
  readonly before?: string
  /** The `limit` entries after this order; `''` starts at the beginning. */
  readonly after?: string
  /** 1 to 4,096, default 50. */
  readonly limit?: number
  /** Whether the page is to say what the line's branch has itself. It costs as much for a long branch as for a short one. */
  readonly own?: boolean
}

/** What a branch has itself of a view, those that it leaves not counted. */
export interface OwnEntries {
  readonly messages: number
  /** Milliseconds since 1970 of the newest entry; 0 when there is none. */
  readonly newest: number
}

export interface EntryPage {
  /** In reading order. */
  readonly entries: readonly EntryView[]
  /** Whether there are more in the direction read (earlier ones for `last` and `before`). */
  readonly more: boolean
  /** Records that could not be read and were passed over. */
  readonly skipped: number
  /** The line that was read. */
  readonly branch: string
  /** Version of the session the page shows (see `SessionChange.version`); 0 when there is none. */
  readonly version: number
  /** Where it was asked for: of the whole branch, on whatever page. */
  readonly own?: OwnEntries
  /** With view `context`: what stands for the part of the line that a model does not get. */
  readonly hidden?: HiddenPart
  /** With view `context` of the head: how many messages there are in all, on whatever page. */
  readonly total?: number
}

/** What stands for the older part of a line in a model's context. */
export interface HiddenPart {
  /** The later of the active compaction's summary and the session's; `''` when there is none. */
  readonly summary: string
  /** Id of the active compaction; absent when there is none. */
  readonly compaction?: string
  /** What the compaction put in front of the kept part. */
  readonly messages?: readonly Message[]
}

export interface ListQuery {
  readonly agentId?: string
  readonly userId?: string
  /** Default: both. */
  readonly archived?: boolean
  /** Only sessions whose title contains this text, ignoring case. */
  readonly title?: string
  /** Default false. `true` lists the deleted ones only: the trash. */
  readonly deleted?: boolean
  /** 1 to 10,000, default 50. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly cursor?: string
  /** Default `updated`: newest first. `created`: newest first. `title`: A to Z. */
  readonly order?: 'updated' | 'created' | 'title'
  /**
   * Whether the list is read from storage, so that it has what another tab stored before the call. Default false: from memory, where what other tabs
   * store is heard of a moment later. To be used where something is made only because there is none.
   */
  readonly fresh?: boolean
}

export interface SessionPage {
  readonly sessions: readonly SessionListing[]
  /** Cursor of the next page; absent on the last. */
  readonly next?: string
  /** How many sessions match in all. */
  readonly total: number
}

/** Where a new branch leaves: after this entry of a line, or `'start'` for an empty line. */
export interface BranchOptions extends WriteOptions {
  readonly after: { readonly branch: string; readonly order: string } | 'start'
  readonly name?: string
  /** Whether new turns go to it from now on. Default true. */
  readonly head?: boolean
}

export interface CompactionInput {
  /** `''` hides the older part without anything in its place (AgentlyMemoSession's pruning). */
  readonly summary: string
  /** Messages that stand for the older part, in front of what is kept, beside the summary: what a resize handler made of them. */
  readonly messages?: readonly Message[]
  /** The first entry that stays in the model's context… */
  readonly firstKept?: EntryRef
  /** …or how many of the last context messages stay. */
  readonly keepLast?: number
  /** The line it is for. Default: the head. */
  readonly branch?: string
  /**
   * What the summary was made of. Entries before the kept part that it does not cover stay in the context: they came while the summary was
   * made. What the active compaction hides stays hidden, even where the kept part begins before. Default: everything that is known.
   */
  readonly covers?: VersionVector
  /** The compaction that was active when the summary was made, `null` for none: when another is by now, it is refused (ParentMoved). */
  readonly replaces?: string | null
  /**
   * What the summary was made of, as `contextFingerprint` tells it of the summary before and the entries before the kept part: when what
   * `covers` covers of them reads otherwise by now (cut, removed, edited, purged), or its line is gone, it is refused (ParentMoved).
   */
  readonly fingerprint?: string
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  readonly details?: JsonObject
}

export interface CheckpointOptions extends WriteOptions {
  readonly label?: string
  readonly metadata?: JsonObject
  /** An agent's own state, given back on restore. */
  readonly state?: JsonObject
  /** A deleted session is refused (SessionNotFound); with this one that was purged, too, in place of making it anew. As in {@link AppendOptions}. */
  readonly onDeleted?: 'refuse'
}

export interface EnsureMetadataResult {
  readonly key: string
  /** Aliases that another session owns already; they stay in the session's own list only. */
  readonly conflicts: readonly string[]
  /** The alias whose session's history and summary this call made the session of (L20). */
  readonly promoted?: string
}

/** What power loss would take. */
export interface UnflushedWrites {
  /** How many commits; what other tabs or an earlier worker stored before this store was opened counts as one, because nobody knows. */
  readonly commits: number
  /** When the first of them was stored, in milliseconds since 1970. */
  readonly since: number
}

export interface DraftOptions {
  /** Id of the draft, drawn by the caller so that opening can be repeated: a draft of this id that is there already stays as it is. Default: a new one. */
  readonly id?: string
  readonly role: string
  /** Default: the head. */
  readonly branch?: string
  /** As in {@link AppendOptions}. */
  readonly onDeleted?: 'refuse' | 'restart'
  /**
   * An entry marked `interrupted` to go on with, and the `edit` that it was read with: the draft begins with what the entry has, as write 0,
   * and sealing it makes the entry whole in the place of another one. Role and branch are the entry's.
   */
  readonly resume?: { readonly branch: string; readonly order: string; readonly edit?: string | undefined }
}

export interface MergeResult {
  /** Entries that were new. */
  readonly added: number
  /** Entries that were there already. */
  readonly known: number
  /** Entries that were not taken, with the reason: they broke a rule, or (`isEarly`) one that their writer made before them is missing. */
  readonly refused: readonly { readonly id: string; readonly reason: string; readonly isEarly?: true }[]
}

/** How a method that exchanges logs finds the one that is meant. */
export interface KeyOptions {
  /** Whether the text is a key: the log that is stored under it is meant, also where the name leads to another session (L19). Default: it is a name. */
  readonly isKey?: boolean
}

export interface MergeOptions extends TermOptions, KeyOptions {
  readonly durability?: Durability
  /**
   * Whether entries that are missing before others of their writer are lost where these come from, as after a `repair`. Then nothing is held up by
   * them, and they are taken in if they ever come from elsewhere. Default: what follows a gap is refused until the gap is filled.
   */
  readonly gapsAreLost?: boolean
}

/** Where a scan of {@link SessionStore.changes} stands. Opaque. */
export type ChangeCursor = string

/** Which life of a session a deletion is about: it has one more each time it is brought back after it was purged elsewhere. For what syncs. */
export interface LifeOptions extends WriteOptions {
  /** It is in this one from then on, if the log says an earlier one. Default: the one it is in. */
  readonly life?: number
}

export interface DeleteOptions extends LifeOptions {
  /** It was purged elsewhere and is not erased here, because it has entries that were nowhere else: `undelete` begins its next life. */
  readonly kept?: boolean
}

export interface PurgeOptions extends TermOptions, KeyOptions {
  /** Erases what this covers: where more is known of the session by then, it is refused (ParentMoved) and nothing happens. */
  readonly known?: VersionVector
  /** When it was deleted, as `getMeta` says: once it was brought back, started afresh or deleted anew, it is refused (ParentMoved) and nothing happens. */
  readonly deletedAt?: number
  /** All of it is stored under another key by now: it is not listed by `listPurges`. */
  readonly isMoved?: boolean
}

/** What was erased for good under a key: how much was known of it, and in which life it was. What is not covered was not purged. */
export interface PurgeRecord {
  readonly key: string
  readonly vector: VersionVector
  /** Absent: the first. */
  readonly life?: number
}

export interface ChangesPage {
  readonly entries: readonly Entry[]
  /** Pass it to get the rest; absent when this was the last page. */
  readonly next?: ChangeCursor
  readonly vv: VersionVector
}

export interface VerifyReport {
  readonly sessions: number
  readonly entries: number
  /** What is wrong, one line a finding: the first 1,000. */
  readonly problems: readonly VerifyProblem[]
  /** How many more there are. Absent: none. */
  readonly unlisted?: number
}

export interface VerifyProblem {
  readonly key: string
  /**
   * `blob`: bytes that an entry names are gone or are not what their hash says; `at` is the hash. `row`: a row of the session can't be read, nor
   * made again from its entries.
   */
  readonly kind: 'unreadable' | 'checksum' | 'order' | 'gap' | 'meta' | 'blob' | 'row'
  /** The entry's id or the record's key. */
  readonly at: string
  readonly message: string
}

export interface RepairReport extends VerifyReport {
  /** Problems that were mended (bad records set aside, meta rows rebuilt from the log). */
  readonly repaired: number
}

export interface UsageOptions {
  /** How many sessions `largest` lists; `Infinity` for all. Default 20. */
  readonly largest?: number
}

/** `aside`: what `repair` moved out of the way. `mirror`: files outside of the database. */
export type StoredKind = 'entries' | 'bodies' | 'blobs' | 'drafts' | 'operations' | 'aside' | 'mirror'

export interface KindUsage {
  readonly count?: number
  readonly bytes?: number
}

/** What one session takes. */
export interface SessionUsage {
  readonly key: string
  readonly title: string
  /** Canonical JSON bytes of its entries. */
  readonly bytes: number
  readonly entries: number
  readonly updatedAt: number
  readonly archived: boolean
  readonly tags: readonly string[]
  readonly deletedAt?: number
}

export interface UsageReport {
  readonly sessions: number
  readonly entries: number
  /** Canonical JSON bytes of entries (of one session when a key was given). */
  readonly entryBytes: number
  readonly blobBytes: number
  readonly draftBytes: number
  /** The same and the rest by kind, as far as the place can tell without reading it all. Large bodies are counted among the bytes of entries. */
  readonly kinds: Readonly<Partial<Record<StoredKind, KindUsage>>>
  /** The sessions that take most, deleted ones too, largest first. */
  readonly largest: readonly SessionUsage[]
  /** Keys of sessions whose row can't be read, nor made again. */
  readonly unreadable: readonly string[]
  readonly reclaimable: Reclaimable
  /** The browser's own figures for the whole origin, where it gives them. */
  readonly originBytes?: number
  readonly quotaBytes?: number
}

/**
 * Everything that can be done with stored conversations. One interface for every store: in memory, in IndexedDB in this realm or
 * behind a worker, in Web Storage. All methods are async, take and give plain structured-cloneable data, and none is optional.
 *
 * **Laws** (each is a test of the conformance suite under the same number)
 * - L1 *Stored when resolved.* A write resolves after it is stored and rejects otherwise; nothing in between.
 * - L2 *Order.* Entries of one `append` stand in the order given; appends awaited one after the other on one line stand in that order.
 * - L3 *Atomicity.* The entries of one call and the metadata they change appear together or not at all.
 * - L4 *Round trip.* What a message carries comes back deep-equal, whatever its fields.
 * - L5 *Isolation.* Arguments may be changed after the call and results may be changed by the caller without any effect on the store.
 * - L6 *Aliases.* An alias is accepted wherever a key is; an unknown alias is a key.
 * - L7 *Unknown sessions* behave as the table below says.
 * - L8 *Idempotence.* A repeated `operationId` with the same content changes nothing and gives the first result, as long as what it made is there: after a delete,
 *   a purge or the emptying of its line it is done anew, after an undelete it is known again. A delete and an undelete are done once. Entries that were erased
 *   since are missing among the receipts.
 * - L9 *Compare-and-append.* With `parent`, a line that moved on is never overwritten.
 * - L10 *Cuts hide, never erase*; `compact` erases only what is visible nowhere.
 * - L11 *Branches* keep each other's history; switching back and forth changes nothing.
 * - L12 *Deleted stays deleted* until `undelete`; only a new `append` by key starts the session afresh, without the old content.
 * - L13 *One bad record never costs the session*: it is passed over, counted and reported.
 * - L14 *Bad input is refused before anything is written*, with a typed error; the store works on.
 * - L15 *Closed stays closed.* After `close` every method rejects with StorageClosed, `close` itself resolves; calls under way settle.
 * - L16 *Pages* concatenate to the whole view, in both directions, without gap or double.
 * - L17 *Merging* the same entries again, in any order, changes nothing.
 * - L18 *Lists* hold metadata only, newest first, in pages that neither skip nor repeat a session that does not change meanwhile.
 * - L19 *Names lead one step.* A text names the session of that very key, unless that one's history was promoted (L20), or the text
 *   holds `:`, `/` or `\` and another session owns it as an alias; else the session that owns it as an alias, white space around it
 *   aside; else, for `agent:<id>:main`, the main session of that agent (its opaque key), whether it exists or not; else the session
 *   that is still to be made under it. A blank text names none. An alias has one owner, and the first one keeps it: it stays in the
 *   lists of other sessions, who own it only once its owner has given it up or was purged and they are ensured again. A deleted
 *   session keeps its aliases. `merge` registers aliases in the same way; where two devices gave one alias to different sessions, it
 *   belongs on both to the one that had it first by the clocks of their logs, once those were merged as keys (`isKey`). Names of main
 *   sessions stand in the lists of all sessions of an agent, have no owner and are in no conflict. Source: PicoClaw, but for the last.
 * - L20 *Promotion.* When `ensureSessionMetadata` makes a session that was never there, it takes over the log, the summary, the drafts and the
 *   aliases of the first session whose key is among the aliases, whose key nobody else owns as an alias, and that shows messages to a model or
 *   has a summary; main sessions' names aside. All at once or not at all, entries as they are, and once only: the old session stays in
 *   lists, with `promotedTo`, and is reached again when the new one gives its key up as an alias or is purged. Source: PicoClaw.
 *   `merge` of keys (`isKey`) does the same for a session that was there: when its entries give it the key of a log as an alias, and when entries come for
 *   a log whose key it has as one, it takes in what it lacks of that log, whose entries tell all devices where it went on. Where two
 *   devices promoted one log to two sessions, its name belongs to the later, and both have all of it.
 * - L21 *Checkpoints are whole.* A checkpoint has the checksum of the messages it saw, and is restored only while all of them are there as they
 *   were stored, edits and removals aside; otherwise ChecksumMismatch. The last of them are read for that; of what lies long before, damage counts
 *   once `verify` and `repair` have found it. What is merged in later never counts, nor does what was erased on
 *   purpose (`compact` of removed messages). Source: Aixgo, which does not verify it.
 * - L22 *One leader writes.* A write that names a `term` is stored only while that is the term stored, otherwise NotLeader, with nothing written.
 *   Terms never go down, and of two claims in the place of one term one is stored.
 * - L23 *Purges can be told.* From the first `listPurges` on, what `purge` erases is listed by it with all that was known of it and the latest life it
 *   was in, in every store of this place, until `forgetPurges`. Nothing else is ever listed: not what was deleted, what is gone for another reason, or
 *   what was moved (`isMoved`).
 * - L24 *Lives.* A deletion of an earlier life counts for nothing, whatever the clocks say. A session that is `kept` is deleted, and `undelete` (or an
 *   append, which starts it afresh) begins its next life; nothing else does.
 *
 * **An unknown key** gives
 * | method | result |
 * | --- | --- |
 * | `read`, `getHistory`, `listBranches`, `listCheckpoints`, `listDrafts`, `findByMid`, `changes` | empty |
 * | `getSummary` | `''` |
 * | `getMeta`, `getSessionScope`, `getVector` | `undefined` |
 * | `resolveSessionKey` | the key itself |
 * | `append`, `addMessage`, `addFullMessage`, `setHistory`, `setSummary`, `truncateHistory`, `updateMeta`, `ensureSessionMetadata`, `setCompaction`, `openDraft`, `checkpoint`, `merge` | the session is created |
 * | `save`, `compact`, `purge`, `verify`, `repair`, `usage` | nothing to do |
 * | `edit`, `remove`, `openBranch`, `updateBranch`, `deleteBranch`, `switchBranch`, `delete`, `undelete`, `restoreCheckpoint`, `deleteCheckpoint`, `writeDraft`, `sealDraft`, `dropDraft` | SessionNotFound |
 *
 * **Errors** any method may reject with: StorageClosed, InvalidInput, TooLarge, QuotaExceeded, VersionConflict, DataLoss, WorkerLost.
 */
export interface SessionStore {
  /** Appends entries to a line, all or none. Creates the session. @throws ParentMoved, OperationConflict */
  append(key: string, entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
  /** One page of a line. @throws InvalidInput when more than one of `last`, `before`, `after` is given */
  read(key: string, options?: ReadOptions): Promise<EntryPage>
  /** Replaces the content of one entry; the log keeps the original. @throws SessionNotFound, InvalidInput when no entry stands there */
  edit(key: string, target: EntryRef, message: Message, options?: WriteOptions): Promise<void>
  /** Takes one entry out of every view; a later `edit` brings it back. @throws SessionNotFound, InvalidInput */
  remove(key: string, target: EntryRef, options?: WriteOptions): Promise<RemoveResult>
  /** The newest entry with each host message id, or `undefined`, in the order asked. */
  findByMid(key: string, mids: readonly string[]): Promise<readonly (Entry | undefined)[]>

  getMeta(key: string): Promise<SessionMeta | undefined>
  /**
   * Changes metadata; fields not named stay.
   *
   * @throws AliasConflict when an alias that is new to the list belongs to another session; ParentMoved (`previous`)
   */
  updateMeta(key: string, patch: MetaPatch, options?: MetaOptions): Promise<SessionMeta>
  /** One page of sessions. */
  listSessions(query?: ListQuery): Promise<SessionPage>

  /** Opens a branch (regenerate, edit and resend, explore). @throws SessionNotFound, InvalidInput */
  openBranch(key: string, options: BranchOptions): Promise<BranchInfo>
  listBranches(key: string): Promise<readonly BranchInfo[]>
  /** Names a branch. @throws InvalidInput when there is no such branch */
  updateBranch(key: string, branch: string, patch: { readonly name: string | null }, options?: WriteOptions): Promise<void>
  /** Hides a branch; its entries stay until `compact`. If it was the head, its parent line becomes it. @throws InvalidInput for main or an unknown branch */
  deleteBranch(key: string, branch: string, options?: WriteOptions): Promise<void>
  /** Makes a line the head. @throws InvalidInput when there is no such branch */
  switchBranch(key: string, branch: string, options?: WriteOptions): Promise<void>

  /**
   * Stores a summary that stands for the older part of a line in the model's context. @throws ParentMoved (`replaces`, `fingerprint`), InvalidInput
   * Source: ai-panel and pi compaction entries
   */
  setCompaction(key: string, compaction: CompactionInput, options?: WriteOptions): Promise<EntryReceipt>

  /** Saves the position of the head line. */
  checkpoint(key: string, options?: CheckpointOptions): Promise<CheckpointInfo>
  listCheckpoints(key: string): Promise<readonly CheckpointInfo[]>
  /** Shows the line as the checkpoint saw it, on a new branch; returns the agent's state. @throws CheckpointNotFound, ChecksumMismatch (L21) */
  restoreCheckpoint(key: string, checkpoint: string, options?: WriteOptions): Promise<{ readonly branch: BranchInfo; readonly state?: JsonObject }>
  deleteCheckpoint(key: string, checkpoint: string, options?: WriteOptions): Promise<void>

  /**
   * Starts a streamed reply; returns the draft's id. Whoever opened it owns it while it lives: others see it grow, and may neither write, seal
   * nor drop it (AccessDenied). When its owner has died, it becomes an entry marked `interrupted`.
   *
   * @throws with `resume`: InvalidInput when the entry is not interrupted (any more), ParentMoved when it was edited since it was read,
   * AccessDenied while somebody else goes on with it
   */
  openDraft(key: string, options: DraftOptions): Promise<string>
  /** Adds to a draft. `n` counts the writes from 0 (from 1 where it resumes an entry); a repeated `n` is ignored. @throws InvalidInput when the draft has ended; AccessDenied */
  writeDraft(key: string, draft: string, n: number, chunk: DraftChunk): Promise<void>
  /**
   * Turns a draft into an entry, or makes the entry it resumes whole, in one transaction. Without `message`, one is made of what the draft has.
   * A draft that was taken for dead and became an interrupted entry is sealed all the same: with a `message`, that entry is made whole.
   *
   * @throws InvalidInput when the draft has ended; AccessDenied
   */
  sealDraft(key: string, draft: string, message?: Message, options?: WriteOptions): Promise<EntryReceipt>
  /** Ends a draft without an entry. The entry it resumes stays as it was. @throws AccessDenied */
  dropDraft(key: string, draft: string): Promise<void>
  listDrafts(key: string): Promise<readonly DraftView[]>

  /**
   * Resolves once everything that was acknowledged before the call, here or heard of from other tabs, survives power loss: by one strict commit
   * where there is anything that does not yet, at no cost otherwise. In memory and in Web Storage it resolves, and promises nothing: the one has
   * nothing that lasts, and the browser writes the other when it likes.
   */
  flush(): Promise<void>
  /** What {@link flush} would have to see to; `undefined` when there is nothing, or the place promises nothing anyway. */
  unflushed(): Promise<UnflushedWrites | undefined>

  /**
   * Keeps bytes by content; returns their SHA-256 in hex. An entry names them by that hash, as a word of its own anywhere in its data: in a
   * part (`{ type: 'image', blob: hash }`), in a link (`![](blob:<hash>)`), in metadata. Bytes stay while an entry of any session names them,
   * hidden ones too, and go with the last session that is purged. What no entry has named yet, or no entry names any more after a `compact`,
   * stays for a day: who names it later puts it again.
   */
  putBlob(blob: Blob): Promise<string>
  /** The bytes, or `undefined` when there are none of that hash. @throws ChecksumMismatch when they are there and can't be read any more; `repair` may have a copy */
  getBlob(hash: string): Promise<Blob | undefined>

  /** Reclaims what is visible on no line and in no checkpoint, and blobs that nothing names; returns how many entries were erased. To follow and end it: `compactStore` of a client. */
  compact(key: string, options?: TermOptions): Promise<number>
  /** Hides the session behind a tombstone. */
  delete(key: string, options?: DeleteOptions): Promise<void>
  /** Brings a deleted session back as it was; one that was purged elsewhere (`kept`) on all devices, in a life that no purge from before touches. */
  undelete(key: string, options?: LifeOptions): Promise<void>
  /**
   * Erases the session for good: entries, metadata, drafts, checkpoints, aliases. It needs no room. Chromium gives the room back when it
   * compacts its files, which may be long after: writes may find none until then. @throws ParentMoved when it is not deleted as `deletedAt` says
   */
  purge(key: string, options?: PurgeOptions): Promise<void>

  /**
   * Changes who leads this database, or looks (without a claim): what `lead` of a client works with, to be used through that. Everybody who
   * may write may claim; what keeps two leaders apart is that the writes of only one are stored (L22).
   */
  claimTerm(claim?: TermClaim): Promise<LeaderTerm>

  /** Takes entries from another device or an import; set union. */
  merge(key: string, entries: readonly Entry[], options?: MergeOptions): Promise<MergeResult>
  /** How many entries of each writer are known, or `undefined` for an unknown session. */
  getVector(key: string, options?: KeyOptions): Promise<VersionVector | undefined>
  /** The raw entries a version vector does not cover, in storage order, in pages. What is new since the vector of a moment ago is found from the end. */
  changes(key: string, since?: VersionVector, cursor?: ChangeCursor, options?: KeyOptions): Promise<ChangesPage>

  /**
   * What was purged and not told elsewhere yet, in any order. It is remembered from the first call on, so that nothing is kept of it where nobody
   * asks. Nor is it where there is no room: a purge needs none.
   */
  listPurges(): Promise<readonly PurgeRecord[]>
  /** Forgets purges that were told; not those of what was purged anew since. Without a list: all, and from now on none is remembered. */
  forgetPurges(told?: readonly PurgeRecord[]): Promise<void>

  /** Checks every stored record of one session, or of all, in bounded memory. To follow and end it: `verifyStore` of a client. */
  verify(key?: string): Promise<VerifyReport>
  /**
   * Sets unreadable records aside, rebuilds metadata rows from the log, and puts back blobs of which the mirror has a copy, each in a small
   * transaction: what breaks off is gone on with by the next one. To follow and end it: `repairStore` of a client.
   */
  repair(key?: string): Promise<RepairReport>
  /** What is stored, and where most of it is. Counted from the rows of the sessions: no content is read. @throws InvalidInput for a bad `largest` */
  usage(key?: string, options?: UsageOptions): Promise<UsageReport>

  addMessage(key: string, role: string, content: string, options?: WriteOptions): Promise<EntryReceipt | undefined>
  /** Appends any message. Transient thoughts (PicoClaw: reasoning without content) are dropped and give `undefined`. */
  addFullMessage(key: string, message: Message, options?: WriteOptions): Promise<EntryReceipt | undefined>
  /** The messages of the head line's context view. */
  getHistory(key: string): Promise<readonly Message[]>
  /** Makes the history equal to `messages`, by the smallest change of the log (append, cut, remove), so that "save everything" stays cheap. Transient thoughts are dropped. */
  setHistory(key: string, messages: readonly Message[], options?: HistoryOptions): Promise<void>
  getSummary(key: string): Promise<string>
  setSummary(key: string, summary: string, options?: WriteOptions): Promise<void>
  /** Forgets all but the last `keepLast` messages. Logical: the log keeps them until {@link compact}. 0 or less forgets all. */
  truncateHistory(key: string, keepLast: number, options?: WriteOptions): Promise<void>
  /** PicoClaw's `Save`: the same as {@link compact}. */
  save(key: string): Promise<void>
  /**
   * Adds aliases and sets the scope, keeps everything else; a scope that is absent stays. Creates the session, of an older one where it can
   * (L20). Never rejects because of an alias that another session owns (L19).
   */
  ensureSessionMetadata(key: string, scope?: SessionScope, aliases?: readonly string[], options?: WriteOptions): Promise<EnsureMetadataResult>
  /** The key that a text stands for (L19). */
  resolveSessionKey(keyOrAlias: string): Promise<string>
  /** A copy of the scope. */
  getSessionScope(keyOrAlias: string): Promise<SessionScope | undefined>

  /** Settles calls under way, then closes. Closing twice is fine. */
  close(): Promise<void>
}

/**
 * Methods that are jobs: they exchange entries with other places or go over everything that is stored. Behind a worker they run in another
 * one than the rest, so that nobody loads them, or waits for them, who never asks for them.
 */
export type JobMethod = 'merge' | 'getVector' | 'changes' | 'listPurges' | 'forgetPurges' | 'compact' | 'save' | 'verify' | 'repair' | 'usage'

/** A store without its jobs: what a session worker hosts. */
export type CoreStore = Omit<SessionStore, JobMethod>

/** What a store factory needs from outside; all of it is injected so that tests are repeatable. */
export interface StoreEnvironment {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Fills the array with random bytes. */
  readonly randomBytes: (into: Uint8Array) => void
  /** Called after every commit. */
  readonly onChange: ChangeSink
  /** Name of the Web Lock that the page of this store holds while it lives: the owner of the drafts it opens, whatever becomes of the worker. */
  readonly owner?: string
}
