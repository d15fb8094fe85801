import type { Message } from '../../../contract/message.ts'
import type { DescribedTool } from './estimate-picoclaw-tool-tokens.ts'

/** What a request to a model has room for, in tokens. */
export interface ContextBudget {
  /** The model's context window. */
  readonly contextWindow: number
  /** What the reply may take. */
  readonly maxTokens: number
  /** Tools that go out with the request: they count. */
  readonly tools?: readonly DescribedTool[]
  /** Default: PicoClaw's estimate. */
  readonly countTokens?: (message: Message) => number
}

/** PicoClaw's defaults: replies of 32,768 tokens, and a window of four times as much. */
export const defaultBudget = { contextWindow: 131_072, maxTokens: 32_768 } as const satisfies ContextBudget
