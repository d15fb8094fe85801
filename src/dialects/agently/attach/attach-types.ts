import type { ContextOptions } from '../../../client/context/context-types.ts'
import type { Message } from '../../../contract/message.ts'
import type { ContextManager } from '../../picoclaw/context-manager.ts'
import type { MemoSession } from '../memo-types.ts'

/** What a chat function is asked: messages, and whatever else it takes. */
export interface ChatRequest {
  /** Only what is new: the session's history goes in front of it. */
  readonly messages: readonly Message[]
}

/**
 * A function that answers: with a text, a message, an object, or a stream of pieces (an async iterable or a
 * `ReadableStream`).
 */
export type ChatFunction<Request extends ChatRequest = ChatRequest, Reply = unknown> = (request: Request) => Reply

/** What a record handler gets to see of a request. */
export interface RecordRequest<Request extends ChatRequest = ChatRequest> {
  readonly request: Request
  /** What the chat function gave; of a stream its text. Absent when it failed before it gave anything. */
  readonly reply?: unknown
  /** Of a stream its pieces, as far as they came: what is no text, such as tool calls, is only there. */
  readonly pieces?: readonly unknown[]
  /** Whether the reply ended early, or failed. */
  readonly interrupted: boolean
}

/**
 * Says what of a request is kept, in the place of everything else: messages to append, or nothing when it keeps them
 * itself.
 */
export type RecordHandler = (record: RecordRequest) => RecordedMessages | Promise<RecordedMessages>
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing.
export type RecordedMessages = Message | readonly Message[] | null | undefined | void

/** Which values are kept. Source: Agently, `session.record.input` and `.output` */
export interface RecordPaths {
  /**
   * Places such as `data.answers[0].text`; of the request (input), or of the reply (output; a text is read as JSON).
   */
  readonly paths?: string | readonly string[]
  /** `all` (default) keeps every value that is there, one a line; `first` the first. */
  readonly mode?: 'all' | 'first'
}

export interface AttachOptions {
  /**
   * How the history is read. Default: everything, the summary as a message of role `system`, without the memo (as in
   * Agently).
   */
  readonly context?: Omit<ContextOptions, 'signal' | 'system'>
  /** Decides what the model gets and when it is made smaller, in the place of the session. */
  readonly manager?: ContextManager
  /** Tokens of the model's context window, for the manager. Default 128,000. */
  readonly contextWindow?: number
  /**
   * Tokens that a reply may take, for the manager: fewer than the window. Default 4,096, or a quarter of the window
   * where that is less.
   */
  readonly maxTokens?: number
  /**
   * Which values are kept, laid over the settings `session.record` of a memo session. Where a path leads to nothing,
   * the whole is kept.
   */
  readonly record?: { readonly input?: RecordPaths; readonly output?: RecordPaths }
  readonly recordHandler?: RecordHandler
  /**
   * The text of a streamed piece. Default: a text itself, bytes as UTF-8, of an object its `delta`, `text` or
   * `content`.
   */
  readonly textOf?: (piece: unknown) => string
  /**
   * Makes the message that is kept of a stream that was read to its end; nothing keeps none. Default: the pieces'
   * texts, with the tool calls among them: fragments of OpenAI's `delta.tool_calls`, and whole calls. Of a stream that
   * ends early its text is kept.
   */
  readonly messageOf?: (pieces: readonly unknown[]) => Message | null | undefined
  /** Called when a reply can't be kept, or the resize after a request fails. Default: the next `settled()` rejects. */
  readonly onError?: (error: unknown) => void
}

/** A chat function with a session in front of it. */
export interface AttachedChat<Request extends ChatRequest = ChatRequest, Reply = unknown> {
  /**
   * Asks with the session's history in front, and keeps the request's messages and the reply. Resolves once the reply
   * is stored; a stream resolves at once, and ends once its reply is stored. Who asks while another request of this
   * session is answered waits for that; a stream that was handed over holds nobody up, so read it to its end before
   * asking on.
   *
   * @throws InvalidInput for results of tools that no call waits for, and, once they are kept, for some of the results
   *   of a reply that made several calls: the request with the last of them asks the model; Aborted when the request's
   *   `signal` fires before the model is asked
   */
  (request: Request): Promise<Awaited<Reply>>
  readonly key: string
  /** The memo session, when it is one. */
  readonly session: MemoSession | undefined
  /** The chat function as it was. */
  readonly original: ChatFunction<Request, Reply>
  /**
   * Resolves when the resizes of all requests so far are done. Rejects with an error of keeping or resizing, where no
   * `onError` takes it.
   */
  settled(): Promise<void>
  /** Replaces the history; turns begin anew, the memo stays. Does not resize. */
  setChatHistory(messages: readonly Message[]): Promise<void>
  /** Appends, then resizes where that is due. */
  addChatHistory(messages: Message | readonly Message[]): Promise<void>
  /** Empties the history; the memo stays. */
  resetChatHistory(): Promise<void>
}
