import type { DraftPart } from '../contract/change.ts'
import type { EntryReceipt, EntryView } from '../contract/entry.ts'
import type { Message, MessagePart } from '../contract/message.ts'

/** A reply that is being streamed. */
export interface MessageStream<M extends object = Message> {
  /**
   * The draft's id. Rejects when the reply can't begin; where there was no space for it, it begins as soon as there is.
   */
  readonly id: Promise<string>
  /** All text so far, including that of the reply it resumes. */
  readonly text: string
  /** Everything so far, in the order it arrived. */
  readonly parts: readonly DraftPart[]
  /**
   * Adds text. Never waits: pieces are journalled together at a bounded rate, so that a crash takes only what arrived
   * in the last 150 ms, or since the last write began when writes are slow. @throws TypeError when it is not a string,
   * or after the end
   */
  write(text: string): void
  /** Adds reasoning text. @throws TypeError */
  writeReasoning(text: string): void
  /**
   * Adds to the input of a tool call: pieces of its JSON text, which belong together by the id of the call. @throws
   * TypeError
   */
  writeToolInput(piece: { readonly id: string; readonly name?: string; readonly input?: string }): void
  /**
   * Adds a whole structured part (an image, a citation, a provider's own kind). @throws TypeError; InvalidInput when it
   * can't be stored as JSON
   */
  writePart(part: Exclude<MessagePart, string>): void
  /**
   * Stores the reply as one entry: text as `content`, or, with structured parts, a list of both; `reasoning_content`;
   * `tool_calls`. `message` replaces what was streamed. A resumed reply is completed in its place. When it can't be
   * stored, it can be ended again.
   */
  end(message?: M): Promise<EntryReceipt>
  /**
   * Ends early: keeps what was streamed as an entry whose message has `interrupted: true`, or drops it (`keep: false`).
   * The message also has `stopped: true`, which no crash or reload leaves; with `stopped: false`, for a model that
   * failed, it has not.
   * Resolves with `undefined` when there is nothing to keep, or when the session was deleted while the reply grew: the
   * reply goes with it, also where a session was begun anew under the key. `interrupted()` lists the reply, so that it can be
   * resumed; end it with `end` instead when nobody should resume it. A resumed reply is always kept: as it is now, or
   * as it was. Rejects only while there is something to keep that can't be stored; it can be ended again then.
   */
  abort(options?: { readonly keep?: boolean; readonly stopped?: boolean }): Promise<EntryReceipt | undefined>
}

export interface StreamOptions {
  /** Default `assistant`. */
  readonly role?: string
  /**
   * Host library's id of the reply. The draft has it while it grows, also in other tabs, and the entry that it becomes,
   * also after a crash. Default: the `id` of the message that the reply ends with, if that is a non-empty string.
   */
  readonly mid?: string
  readonly branch?: string
  /**
   * Makes the end of the reply safe to repeat by another stream with the same id and content, for example after a
   * reload: the reply is stored once. @see WriteOptions.operationId
   */
  readonly operationId?: string
  /**
   * An interrupted reply to resume, as it was read: the stream begins with its content, and its end completes that
   * entry. `id` and the end reject with ParentMoved when it was edited since, with AccessDenied while another stream
   * resumes it, with InvalidInput when it is complete by now, or gone.
   */
  readonly resume?: EntryView<object>
}

/** A reply that was cut off, and the part of it that was stored. */
export interface InterruptedReply<M extends object = Message> extends EntryView<M> {
  readonly message: M
  readonly text: string
  readonly reasoning: string
  /** Whether it was stopped with `abort`; false after a crash, a reload, or `abort({ stopped: false })`. */
  readonly stopped: boolean
  /** Everything it has; the order of text and structured parts is known. */
  readonly parts: readonly DraftPart[]
}
