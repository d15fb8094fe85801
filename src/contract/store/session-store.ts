import type { AtomicChanges } from './atomic-changes.ts'
import type { Blobs } from './blob-store.ts'
import type { Collections } from './collections.ts'
import type { Exchange } from './log-exchange.ts'
import type { PicoClawStore } from './picoclaw-store.ts'
import type { Branches } from './session-branches.ts'
import type { Checkpoints } from './session-checkpoints.ts'
import type { Compactions } from './session-compactions.ts'
import type { Drafts } from './session-drafts.ts'
import type { Lifecycle } from './session-lifecycle.ts'
import type { SessionLog } from './session-log.ts'
import type { SessionMetadata } from './session-metadata.ts'
import type { Leadership } from './store-leadership.ts'
import type { Upkeep } from './store-upkeep.ts'

/**
 * Everything that can be done with stored conversations. One interface for every store: in memory, in IndexedDB in this
 * realm or behind a worker, in Web Storage. All methods are async, take and return plain structured-cloneable data, and
 * none is optional. Code that takes a store asks only for the facets it uses.
 *
 * **Laws** of all facets; the others are documented on the facet they bind. Each law is a test of the conformance suite
 * under the same number.
 * - L1 *Stored when resolved.* A write resolves after it is stored and rejects otherwise; nothing in between.
 * - L3 *Atomicity.* The entries of one call and the metadata they change appear together or not at all.
 * - L5 *Isolation.* Arguments may be changed after the call, and results may be changed by the caller, without any
 *   effect on the store.
 * - L7 *Unknown sessions* behave as the table below says.
 * - L8 *Idempotence.* A repeated `operationId` with the same content changes nothing and returns the first result, as
 *   long as what it made exists: after a delete, a purge or the emptying of its line it is done again; after an
 *   undelete it is known again. A delete and an undelete are done once. Entries that were erased since are missing
 *   among the receipts.
 * - L14 *Bad input is refused before anything is written*, with a typed error; the store works on.
 * - L15 *Closed stays closed.* After `close` every method rejects with StorageClosed and `close` itself resolves;
 *   pending calls settle.
 *
 * **An unknown key** gives
 * | method | result |
 * | --- | --- |
 * | `read`, `getHistory`, `listBranches`, `listCheckpoints`, `listDrafts`, `findByMid`, `changes` | empty |
 * | `getSummary` | `''` |
 * | `getMeta`, `getSessionScope`, `getVector`, `find`, `pop` | `undefined` |
 * | `resolveSessionKey` | the key itself |
 * | `append`, `put`, `transact` (only appends), `addMessage`, `addFullMessage`, `setHistory`, `setSummary`, `truncateHistory`, `updateMeta`, `ensureSessionMetadata`, `setCompaction`, `openDraft`, `checkpoint`, `merge` | the session is created |
 * | `clear`, `save`, `reclaim`, `purge`, `verify`, `repair`, `usage` | nothing to do |
 * | `edit`, `remove`, `openBranch`, `updateBranch`, `deleteBranch`, `switchBranch`, `delete`, `undelete`, `restoreCheckpoint`, `deleteCheckpoint`, `writeDraft`, `sealDraft`, `dropDraft` | SessionNotFound |
 *
 * **Errors** any method may reject with: StorageClosed, InvalidInput, TooLarge, QuotaExceeded, VersionConflict,
 * DataLoss, WorkerLost.
 */
export interface SessionStore
  extends SessionLog,
    AtomicChanges,
    SessionMetadata,
    Branches,
    Compactions,
    Checkpoints,
    Drafts,
    Blobs,
    Collections,
    Lifecycle,
    Upkeep,
    Exchange,
    Leadership,
    PicoClawStore {}

/**
 * Methods that are jobs: they exchange entries with other places or go over everything that is stored. Behind a worker
 * they run in a worker of their own, so that an app that never uses them neither loads them nor waits for them.
 */
export type JobMethod =
  | 'merge'
  | 'getVector'
  | 'changes'
  | 'listPurges'
  | 'forgetPurges'
  | 'reclaim'
  | 'save'
  | 'verify'
  | 'repair'
  | 'usage'
  | 'listCollections'
  | 'checkRows'

/** A store without its jobs: what a session worker hosts. */
export type CoreStore = Omit<SessionStore, JobMethod>
