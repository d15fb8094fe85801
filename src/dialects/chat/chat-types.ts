import type { Summarise, TitleFunction, TokenCounter, ToolDefinition } from '../../client/context/context-types.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { ContextManager, ContextManagerFactory } from '../picoclaw/context-manager.ts'
import type { ContextManagers } from '../picoclaw/manager-registry.ts'

/** A call of a tool, as a model makes it. */
export interface ToolCall {
  /**
   * Identifies the call for its result. If a model gives none, or the same one twice in a reply, a random one is used.
   */
  readonly id?: string
  readonly name: string
  /** The arguments, or their JSON text. */
  readonly arguments: JsonObject | string
}

/** A piece of a model's reply. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'toolCall'; readonly toolCall: ToolCall }
  /** The provider's usage data for the reply; stored with it. */
  | { readonly type: 'usage'; readonly usage: JsonObject }

/** The request to a model. */
export interface ModelRequest {
  /**
   * The conversation, the newest message last, in OpenAI's dialect: `tool_calls`, and role `tool` with `tool_call_id`.
   */
  readonly messages: readonly Message[]
  /** System prompt, summary, memo and the request's `context`, one after the other; `''` when all are missing. */
  readonly system: string
  readonly tools: readonly ToolDefinition[]
  /** Images of the user's message, as data URIs; they are in the message as well. */
  readonly images?: readonly string[]
  /** `''` when the model makes a summary. */
  readonly agentId: string
  /** `''` when the model makes a summary. */
  readonly sessionId: string
  /** Fires when the client has left, so that nobody waits for the rest. */
  readonly signal: AbortSignal
}

/**
 * A model that answers a conversation.
 *
 * A model that refuses a request because it is too long must throw an error with `contextTooLong: true` or the name
 * `ContextTooLong`. Unless a part of the reply was sent already, the context is then reduced once, and the model is
 * asked again.
 */
export interface ChatModel {
  reply(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** A tool that a model may call. */
export interface ChatTool extends ToolDefinition {
  /** Returns the result, as text or JSON. The model gets an error's message as the result. */
  run(
    args: JsonObject,
    options: { readonly signal: AbortSignal; readonly agentId: string; readonly sessionId: string },
  ): JsonValue | undefined | Promise<JsonValue | undefined>
}

/** The events that a chat client receives, one per line. Source: ai-panel, its SSE events */
export type ChatEvent =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly text: string }
  | {
      readonly type: 'tool_call'
      readonly tool_call: { readonly id: string; readonly name: string; readonly input: JsonValue }
    }
  | { readonly type: 'tool_result'; readonly text: string; readonly tool_call_id: string }
  | { readonly type: 'error'; readonly error: string; readonly name: string }
  /**
   * Always the last event, and always sent. `tokenEstimate`: the estimate for the messages and the summary that a model
   * would get of the session now.
   */
  | { readonly type: 'done'; readonly sessionId: string; readonly tokenEstimate: number }

export interface ChatHandlerOptions {
  readonly model: ChatModel
  readonly tools?: readonly ChatTool[]
  /** The prefix of the paths. Default `/api`. */
  readonly basePath?: string
  /** The agents that exist. Default: any with a valid id. */
  readonly agents?: readonly string[] | ((agentId: string) => boolean)
  readonly systemPrompt?: string | ((agentId: string) => string | Promise<string>)
  /**
   * Decides which messages the model gets: a context manager, a factory of one, or the name of one in
   * `contextManagers`. Default `compaction`, as in ai-panel: the summary, then the messages that are not in it; over
   * `threshold` tokens, all but the last 20 turns are summarised. An unknown name is reported to `onError`, and the
   * default is used.
   */
  readonly contextManager?: ContextManager | ContextManagerFactory | string
  /** The context managers by name. Default: those of the package (`compaction`, `memo`, `picoclaw`). */
  readonly contextManagers?: ContextManagers
  /** Makes summaries. Default: the model, with ai-panel's instruction. */
  readonly summarise?: Summarise
  /** Default: {@link estimateContextTokens}; for PicoClaw's manager its own. */
  readonly countTokens?: TokenCounter
  /**
   * The default context manager compacts when the context has more tokens than this. Default 80,000. Source: ai-panel
   */
  readonly threshold?: number
  /** Tokens of the model's context window. Default 131,072. Source: PicoClaw */
  readonly contextWindow?: number
  /**
   * Tokens that a reply may have; fewer than the window. Default 32,768, or a quarter of the window if that is less.
   * Source: PicoClaw
   */
  readonly maxTokens?: number
  /**
   * Makes a title after the first run of a session, unless the user chose one. Default: the beginning of the first
   * message.
   */
  readonly title?: TitleFunction
  /**
   * The maximum number of model requests in one run: one more than the number of replies with tool calls. Default 20.
   */
  readonly mostSteps?: number
  /** The maximum number of runs of one session that wait for the previous one. Default 8. Source: ai-panel */
  readonly mostWaiting?: number
  /** Maximum size of a request's body in bytes. Default 12 MiB, which leaves room in an entry (16 MiB). */
  readonly mostBodyBytes?: number
  /** Maximum size of one decoded image in bytes. Default 5 MiB. */
  readonly mostImageBytes?: number
  /** Name of the database. Web Locks with this name keep work from running in several tabs at once. */
  readonly name?: string
  /**
   * Called with errors that ended a run, that occurred after a reply (compaction, title), and that were answered with
   * status 500. The client gets the message of a model's error; of other errors it only learns that there was one.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * Answers the requests of a chat client.
 *
 * @param work - keeps this realm alive until the work is done, if the browser may end it between requests: the
 *   `FetchEvent` of a Service Worker
 */
export type ChatHandler = (request: Request, work?: { waitUntil(work: Promise<unknown>): void }) => Promise<Response>
