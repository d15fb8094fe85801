import type { Summarise, TitleFunction, TokenCounter, ToolDefinition } from '../../client/context/context-types.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { ContextManager, ContextManagerFactory } from '../picoclaw/context-manager.ts'
import type { ContextManagers } from '../picoclaw/manager-registry.ts'

/** A call of a tool, as a model makes it. */
export interface ToolCall {
  /** What its result is told by. Where a model gives none, or one twice in a reply, one is drawn. */
  readonly id?: string
  readonly name: string
  /** Arguments, or their JSON text. */
  readonly arguments: JsonObject | string
}

/** A piece of a model's reply. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'toolCall'; readonly toolCall: ToolCall }
  /** What the provider says the reply cost; stored with it. */
  | { readonly type: 'usage'; readonly usage: JsonObject }

/** What a model is asked. */
export interface ModelRequest {
  /**
   * The conversation, the newest message last, in OpenAI's dialect: `tool_calls`, and role `tool` with `tool_call_id`.
   */
  readonly messages: readonly Message[]
  /** System prompt, summary, memo and the request's `context`, one after the other; `''` when there is none of it. */
  readonly system: string
  readonly tools: readonly ToolDefinition[]
  /** Images of the user's message, as data URIs; they stand in the message as well. */
  readonly images?: readonly string[]
  /** `''` when it is asked for a summary, and not for a reply. */
  readonly agentId: string
  /** `''` when it is asked for a summary. */
  readonly sessionId: string
  /** Fires when the client is gone: nobody waits for the rest. */
  readonly signal: AbortSignal
}

/**
 * Anything that answers a conversation.
 *
 * A model that refuses a request because it is too long throws an error with `contextTooLong: true`, or of the name
 * `ContextTooLong`; then, unless it has said something already, the context is made smaller, once, and it is asked
 * again.
 */
export interface ChatModel {
  reply(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** A tool that a model may call. */
export interface ChatTool extends ToolDefinition {
  /** Its result, or what is told as JSON. What it throws goes to the model as its result. */
  run(
    args: JsonObject,
    options: { readonly signal: AbortSignal; readonly agentId: string; readonly sessionId: string },
  ): JsonValue | undefined | Promise<JsonValue | undefined>
}

/** What the client of a chat gets to hear, one event a line. Source: ai-panel, its SSE events */
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
   * Always the last, and always there. `tokenEstimate`: of the messages and the summary that a model would get of the
   * session now.
   */
  | { readonly type: 'done'; readonly sessionId: string; readonly tokenEstimate: number }

export interface ChatHandlerOptions {
  readonly model: ChatModel
  readonly tools?: readonly ChatTool[]
  /** What the paths begin with. Default `/api`. */
  readonly basePath?: string
  /** Which agents there are. Default: any whose id is sound. */
  readonly agents?: readonly string[] | ((agentId: string) => boolean)
  readonly systemPrompt?: string | ((agentId: string) => string | Promise<string>)
  /**
   * What decides what the model gets: one, what makes one, or the name of one in `contextManagers`. Default
   * `compaction`, ai-panel's: the summary, then the messages it does not stand for; over `threshold` tokens all but the
   * last 20 turns are summarised. Where there is none of a name, it is the default, and `onError` is told.
   */
  readonly contextManager?: ContextManager | ContextManagerFactory | string
  /** The context managers that there are by name. Default: those of the package (`compaction`, `memo`, `picoclaw`). */
  readonly contextManagers?: ContextManagers
  /** Makes summaries. Default: the model, told by ai-panel's instruction. */
  readonly summarise?: Summarise
  /** Default: {@link estimateContextTokens}; for PicoClaw's manager its own. */
  readonly countTokens?: TokenCounter
  /** Tokens from which on (more than these) the default context manager compacts. Default 80,000. Source: ai-panel */
  readonly threshold?: number
  /** Tokens of the model's context window. Default 131,072. Source: PicoClaw */
  readonly contextWindow?: number
  /**
   * Tokens that a reply may take; fewer than the window has. Default 32,768, or a quarter of the window when that is
   * less. Source: PicoClaw
   */
  readonly maxTokens?: number
  /**
   * Makes a title after the first run of a session, unless somebody chose one. Default: the beginning of the first
   * message.
   */
  readonly title?: TitleFunction
  /** How often the model may be asked in one run: one time more than it may answer with tool calls. Default 20. */
  readonly mostSteps?: number
  /** Runs of one session that may wait for the one before. Default 8. Source: ai-panel */
  readonly mostWaiting?: number
  /** Bytes of a request's body. Default 12 MiB, which leaves room in an entry (16 MiB). */
  readonly mostBodyBytes?: number
  /** Bytes of one image, decoded. Default 5 MiB. */
  readonly mostImageBytes?: number
  /** Name of the database: what must run once in all tabs is locked under it. */
  readonly name?: string
  /**
   * Told of what ended a run, of what went wrong behind a reply (compaction, title), and of errors that are answered
   * with status 500. The client hears what a model throws; of other mistakes, only that there was one.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * Answers the requests of a chat client.
 *
 * @param work - what keeps this realm alive until the work is done, where it may be ended between requests: the
 *   `FetchEvent` of a Service Worker
 */
export type ChatHandler = (request: Request, work?: { waitUntil(work: Promise<unknown>): void }) => Promise<Response>
