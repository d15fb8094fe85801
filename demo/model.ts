import type { Message } from '../src/index.ts'

/** A call of a tool, in OpenAI's shape: it is stored as it is in the message's `tool_calls`. */
export type ToolCall = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A piece of a reply. Tool calls end it: their results come with the history of the next call. */
export type ModelPiece =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly toolCalls: readonly ToolCall[] }

/** Anything that answers a conversation. */
export interface Model {
  /** What the app calls it. */
  readonly name: string
  /**
   * Streams a reply to these messages, or the rest of one, if the last of them is a reply that was cut off. Ends early, by throwing the signal's reason, when the signal says so.
   */
  reply(history: readonly Message[], signal: AbortSignal): AsyncIterable<ModelPiece>
}
