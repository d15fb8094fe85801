import type { CheckpointDiff } from '../contract/checkpoint-diff.ts'
import type { EntryRef, EntryView } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import type { BranchInfo, CheckpointInfo } from '../contract/meta.ts'
import type {
  EntryChange,
  PopOptions,
  PutOptions,
  PutResult,
  TransactOptions,
  TransactResult,
} from '../contract/store/atomic-changes.ts'
import type { CheckpointOptions } from '../contract/store/session-checkpoints.ts'
import type { WriteOptions } from '../contract/store/write-options.ts'
import type { CopyOptions } from './branches/branch-types.ts'

/** Single entries, found by host message ids, and changes that depend on what is stored: each is one commit. */
export interface SessionEntries<M extends object = Message> {
  /**
   * One entry as it is now, by its host message id or its position; `undefined` when there is none, or it was removed.
   * Of several with one id, it is the one that the head line shows, or else the newest.
   */
  find(target: EntryRef): Promise<EntryView<M> | undefined>
  /**
   * Shows a message under a host message id: appends it, changes the message of that id, or writes nothing where that is
   * equal. With `after`, it follows that message, on a branch of its own where others follow it already.
   *
   * @example
   * await session.entries.put(message, { mid: message.id })
   *
   * @throws InvalidInput when there is no id, or no such branch or entry
   */
  put(message: M, options?: PutOptions): Promise<PutResult>
  /**
   * Appends, edits and removes, all or nothing.
   *
   * @throws ParentMoved when the line has moved past `parent`, or an entry to change is gone
   */
  transact(changes: readonly EntryChange<M>[], options?: TransactOptions): Promise<TransactResult>
  /**
   * Removes the last entry and returns it; `undefined` when there is none. Of many callers, also in other tabs, one gets
   * it. As with `remove`, other branches that share the entry lose it, too; `branches.before(entry)` leaves them as they
   * are.
   */
  pop(options?: PopOptions): Promise<EntryView<M> | undefined>
  /** Empties the line that is shown; the metadata and other branches stay. */
  clear(options?: WriteOptions): Promise<void>
}

/** Saved positions of one session. Source: Aixgo */
export interface SessionCheckpoints<M extends object = Message> {
  /** Saves the position of the head line, with the checksum of the messages on it. */
  create(options?: CheckpointOptions): Promise<CheckpointInfo>
  /** The checkpoints, oldest first. */
  list(): Promise<readonly CheckpointInfo[]>
  /**
   * Shows the session as a checkpoint saw it, on a new branch that becomes the head; later entries stay on their own
   * line. Returns the agent's state.
   *
   * @throws CheckpointNotFound (also for a checkpoint of another session); ChecksumMismatch when a message is missing
   *   or was tampered with
   */
  restore(id: string, options?: WriteOptions): Promise<{ readonly branch: BranchInfo; readonly state?: JsonObject }>
  /** @throws CheckpointNotFound */
  delete(id: string): Promise<void>
  /**
   * Compares what two checkpoints show, each as the session was then. Without `other`, compares with what the head line
   * shows now. Reads the whole log, by a job: call it when somebody asks, not for every checkpoint in a list.
   *
   * @throws CheckpointNotFound; Aborted
   */
  diff(id: string, other?: string, options?: Pick<CopyOptions, 'signal' | 'onProgress'>): Promise<CheckpointDiff<M>>
}
