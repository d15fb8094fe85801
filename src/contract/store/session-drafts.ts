import type { DraftChunk, DraftView } from '../change.ts'
import type { EntryReceipt } from '../entry.ts'
import type { Message } from '../message.ts'
import type { DeletedOptions, WriteOptions } from './write-options.ts'

export interface DraftOptions extends DeletedOptions {
  /**
   * Id of the draft, drawn by the caller so that opening can be repeated: an existing draft of this id stays as it is.
   * Default: a new id.
   */
  readonly id?: string
  readonly role: string
  /** Host library's id of the reply: the draft has it while it grows, and the entry that it becomes. */
  readonly mid?: string
  /** Default: the head. */
  readonly branch?: string
  /**
   * An entry marked `interrupted` to resume, and the `edit` it was read with. The draft begins with the content of the
   * entry, as write 0, and sealing it completes that entry instead of making another one. Role and branch are those of
   * the entry.
   */
  readonly resume?: { readonly branch: string; readonly order: string; readonly edit?: string | undefined }
}

/**
 * Replies that are being streamed. A draft is journalled while it grows, so that a crash takes only its last moments.
 *
 * Whoever opened a draft owns it while it lives: others see it grow, and may neither write, seal nor drop it
 * (AccessDenied). When its owner has died, the draft becomes an entry marked `interrupted`.
 */
export interface Drafts {
  /**
   * Starts a draft; returns its id.
   *
   * @throws with `resume`: InvalidInput when the entry is not interrupted (any more), ParentMoved when it was edited
   *   since it was read, AccessDenied while somebody else resumes it
   */
  openDraft(key: string, options: DraftOptions): Promise<string>
  /**
   * Adds to a draft. `n` counts the writes from 0; a repeated `n` is ignored. For a draft that resumes an entry, or has
   * a `mid`, it counts from 1: write 0 holds what the draft began with.
   *
   * @throws InvalidInput when the draft has ended; AccessDenied; SessionNotFound when its session was deleted, even if
   *   its key has another one by now
   */
  writeDraft(key: string, draft: string, n: number, chunk: DraftChunk): Promise<void>
  /**
   * Turns a draft into an entry, or completes the entry it resumes, in one transaction. Without `message`, the message
   * is made of the draft's content. A draft that was taken for dead and became an interrupted entry can still be
   * sealed: with a `message`, that entry is completed. With an `operationId` under which another draft was sealed with
   * the same message, the entry of that time is the result, and this draft is dropped.
   *
   * @throws InvalidInput when the draft has ended; AccessDenied; SessionNotFound as for `writeDraft`
   */
  sealDraft(key: string, draft: string, message?: Message, options?: WriteOptions): Promise<EntryReceipt>
  /** Ends a draft without an entry. An entry that it resumes stays as it was. @throws AccessDenied */
  dropDraft(key: string, draft: string): Promise<void>
  listDrafts(key: string): Promise<readonly DraftView[]>
}
