import type { ContextOptions } from '../../../client/context/context-types.ts'
import type { Message } from '../../../contract/message.ts'
import type { ContextManager } from '../../picoclaw/context-manager.ts'
import type { MemoSession } from '../memo-types.ts'

/** The request to a chat function: messages, and any other fields that the function takes. */
export interface ChatRequest {
  /** Only the new messages: the session's history is put in front of them. */
  readonly messages: readonly Message[]
}

/**
 * A function that answers: with a text, a message, an object, or a stream of pieces (an async iterable or a
 * `ReadableStream`).
 */
export type ChatFunction<Request extends ChatRequest = ChatRequest, Reply = unknown> = (request: Request) => Reply

/** The request and the reply that a record handler receives. */
export interface RecordRequest<Request extends ChatRequest = ChatRequest> {
  readonly request: Request
  /** The result of the chat function; for a stream its text. Absent when it failed before it returned anything. */
  readonly reply?: unknown
  /** The pieces of a stream that arrived. Parts that are not text, such as tool calls, are only in here. */
  readonly pieces?: readonly unknown[]
  /** Whether the reply ended early, or failed. */
  readonly interrupted: boolean
}

/**
 * Decides what is stored of a request and its reply, instead of the default: returns the messages to append, or nothing
 * if it stores them itself.
 */
export type RecordHandler = (record: RecordRequest) => RecordedMessages | Promise<RecordedMessages>
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing.
export type RecordedMessages = Message | readonly Message[] | null | undefined | void

/** Which values are stored. Source: Agently, `session.record.input` and `.output` */
export interface RecordPaths {
  /**
   * Paths such as `data.answers[0].text` in the request (for input) or the reply (for output; a text is parsed as
   * JSON).
   */
  readonly paths?: string | readonly string[]
  /** `all` (default) stores every value that is found, one per line; `first` only the first. */
  readonly mode?: 'all' | 'first'
}

export interface AttachOptions {
  /**
   * How the history is read. Default: everything, the summary as a message of role `system`, without the memo (as in
   * Agently).
   */
  readonly context?: Omit<ContextOptions, 'signal' | 'system'>
  /** Decides what the model gets and when that is reduced, instead of the session. */
  readonly manager?: ContextManager
  /** Tokens of the model's context window, for the manager. Default 128,000. */
  readonly contextWindow?: number
  /**
   * Tokens that a reply may have, for the manager: fewer than the window. Default 4,096, or a quarter of the window if
   * that is less.
   */
  readonly maxTokens?: number
  /**
   * Which values are stored. Overrides the settings `session.record` of a memo session. If no path leads to a value,
   * the whole request or reply is stored.
   */
  readonly record?: { readonly input?: RecordPaths; readonly output?: RecordPaths }
  readonly recordHandler?: RecordHandler
  /**
   * The text of a streamed piece. Default: a string itself, bytes as UTF-8, and the `delta`, `text` or `content` of an
   * object.
   */
  readonly textOf?: (piece: unknown) => string
  /**
   * Makes the message to store for a stream that was read to its end; `null` or `undefined` stores none. Default: the
   * texts of the pieces and their tool calls (fragments of OpenAI's `delta.tool_calls`, and whole calls). For a stream
   * that ends early, its text is stored.
   */
  readonly messageOf?: (pieces: readonly unknown[]) => Message | null | undefined
  /**
   * Called when a reply can't be stored, or the resize after a request fails. Default: the next `settled()` rejects.
   */
  readonly onError?: (error: unknown) => void
}

/** A chat function with a session in front of it. */
export interface AttachedChat<Request extends ChatRequest = ChatRequest, Reply = unknown> {
  /**
   * Sends the request with the session's history in front, and stores the request's messages and the reply. Resolves
   * once the reply is stored; for a stream it resolves at once, and the stream ends once its reply is stored. A request
   * waits for the previous one of the same session, but not for a stream that was already returned: read that to its
   * end before the next request.
   *
   * @throws InvalidInput for results of tools without an open call, and, after storing them, for a part of the results
   * of a reply with several calls: the model is asked by the request with the last of them; Aborted when the request's
   * `signal` fires before the model is asked
   */
  (request: Request): Promise<Awaited<Reply>>
  readonly key: string
  /** The memo session, if the chat was attached to one. */
  readonly session: MemoSession | undefined
  /** The original chat function. */
  readonly original: ChatFunction<Request, Reply>
  /**
   * Resolves when the resizes of all requests so far are done. Rejects with the error of storing or resizing, unless
   * there is an `onError`.
   */
  settled(): Promise<void>
  /** Replaces the history and counts turns from 0 again; the memo stays. Does not resize. */
  setChatHistory(messages: readonly Message[]): Promise<void>
  /** Appends, then resizes if the policy says so. */
  addChatHistory(messages: Message | readonly Message[]): Promise<void>
  /** Empties the history; the memo stays. */
  resetChatHistory(): Promise<void>
}
