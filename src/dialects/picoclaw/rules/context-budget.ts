import type { Message } from '../../../contract/message.ts'
import type { DescribedTool } from './estimate-picoclaw-tool-tokens.ts'

/** The limits of a request to a model, in tokens. */
export interface ContextBudget {
  /** The model's context window. */
  readonly contextWindow: number
  /** Tokens that the reply may have. */
  readonly maxTokens: number
  /** The tools of the request, which count too. */
  readonly tools?: readonly DescribedTool[]
  /** Default: PicoClaw's estimate. */
  readonly countTokens?: (message: Message) => number
}

/** PicoClaw's defaults: replies of 32,768 tokens, and a window of four times as much. */
export const defaultBudget = { contextWindow: 131_072, maxTokens: 32_768 } as const satisfies ContextBudget
