import type { EntryInput, EntryReceipt, EntryRef, EntryView } from '../entry.ts'
import type { JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import type { DeletedOptions, SessionOptions, WriteOptions } from './write-options.ts'

export interface PutOptions extends WriteOptions, DeletedOptions, SessionOptions {
  /** Host library's id of the message. Default: the message's own `id`. */
  readonly mid?: string
  /** The line to look at and to append to. Default: the head. */
  readonly branch?: string
  /**
   * The message that it follows; `null`: it is the first. Where other messages follow that one already, the new message
   * begins a branch there. The line with the new message becomes the head. With `after`, a message of this id on any
   * line is the one to change. Absent: it follows the last entry of the line.
   */
  readonly after?: EntryRef | null
}

export interface PutResult {
  /** `same`: the stored message is equal, and nothing was written. */
  readonly outcome: 'added' | 'changed' | 'same'
  readonly entry: EntryReceipt
}

/** One change of a transaction. */
export type EntryChange<M extends object = Message> =
  | { readonly type: 'append'; readonly entries: readonly EntryInput<M>[] }
  | { readonly type: 'edit'; readonly target: EntryRef; readonly content: EntryContent<M> }
  | { readonly type: 'remove'; readonly target: EntryRef }

/** New content of an entry: a message, or the `data` of an entry of another type. */
export type EntryContent<M extends object = Message> = M | { readonly data: JsonObject }

export interface TransactOptions extends WriteOptions, DeletedOptions {
  /** The line to append to. Default: the head. */
  readonly branch?: string
  /** As for `append`: the order of the last entry that the caller saw. If the line has moved, nothing is done. */
  readonly parent?: string
}

export interface TransactResult {
  /** Of all entries that were appended, in order. */
  readonly entries: readonly EntryReceipt[]
  /** The branch that was appended to. */
  readonly branch: string
}

export interface PopOptions extends WriteOptions {
  /** Takes the last entry of this type, for example `message`. Default: any type. */
  readonly type?: string
}

/**
 * Changes that depend on what is stored. Each reads and writes in one commit, so that two tabs never decide by the same
 * state.
 *
 * - L25 *Put.* Afterwards the line shows one message of that id, with that content, however many tabs put it.
 * - L26 *Pop.* An entry is returned by one call only, on whichever line.
 * - L27 *Transactions.* All changes appear together or none does; a change of an entry that is gone refuses all.
 * - L28 *Clear.* The head line shows nothing, metadata and other lines stay, and operations that made its content can be
 *   done again.
 */
export interface AtomicChanges {
  /**
   * Makes the line show a message under a host message id: appends it, or edits the message of that id, or writes
   * nothing where it is equal. Creates the session.
   *
   * @throws InvalidInput when there is no id, or no such branch or entry
   */
  put(key: string, message: Message, options?: PutOptions): Promise<PutResult>
  /**
   * Appends, edits and removes in one commit; the appended entries are stored first. Creates the session if it only
   * appends.
   *
   * @throws ParentMoved when the line has moved past `parent`, or an entry to change is gone; InvalidInput
   */
  transact(key: string, changes: readonly EntryChange[], options?: TransactOptions): Promise<TransactResult>
  /**
   * Removes the last entry of the head line's transcript and returns it; `undefined` when there is none. As with `remove`,
   * an entry that other lines share is removed from them, too; a branch that is opened before it leaves them as they are.
   */
  pop(key: string, options?: PopOptions): Promise<EntryView | undefined>
  /**
   * Empties the head line, and hides summaries of it from the model, also one that another device was making meanwhile.
   * Nothing is erased before a `reclaim`. An unknown or empty session stays as it is.
   */
  clear(key: string, options?: WriteOptions): Promise<void>
}
