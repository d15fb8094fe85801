import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'

/** Tokens of one message. Must be a whole number from 0 up. */
export type TokenCounter = (message: Message) => number

/** The definition of a tool that a model receives. */
export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  /** JSON schema of its arguments. */
  readonly parameters?: JsonObject
}

export interface ContextOptions {
  /** Default: the head. */
  readonly branch?: string
  /**
   * Limit for the sum of tokens of system text, messages and tools. If everything doesn't fit, the oldest whole turns
   * are left out. The newest turn stays as far as it fits, and always keeps the user's message that starts it
   * (PicoClaw's trimming may leave nothing). Default: no limit.
   */
  readonly maxTokens?: number
  /** Tools that are sent with the request; their tokens count. */
  readonly tools?: readonly ToolDefinition[]
  /** Default: `estimateContextTokens` (ai-panel: a quarter of the content's UTF-8 bytes; an image 256, as PicoClaw). */
  readonly countTokens?: TokenCounter
  /**
   * How the summary and the memo are returned: `message` (default) puts them in front of the messages as one message of
   * role `system`; `apart` leaves that to the caller, for providers that take it in a separate field.
   */
  readonly system?: 'message' | 'apart'
  /** Whether the memo of the session is included, or a function that formats it. Default true: as JSON. */
  readonly memo?: boolean | ((memo: JsonObject) => string)
  readonly signal?: AbortSignal
}

/** What a context costs, in tokens. */
export interface ContextTokens {
  /** Of the whole context. */
  readonly total: number
  readonly summary: number
  readonly memo: number
  readonly messages: number
  readonly tools: number
}

/** The context of a session for a model. */
export interface ModelContext {
  /**
   * Ready to be sent: every tool call has its results, every result has its call, and no assistant message is empty.
   * With `system: 'message'` the first message is the system text.
   */
  readonly messages: readonly Message[]
  /** Summary and memo as text; `''` when there is neither. */
  readonly system: string
  /** The summary of the compacted part; `''` if there is none. */
  readonly summary: string
  readonly memo: JsonObject
  readonly tokens: ContextTokens
  /** Number of turns in the context. */
  readonly turns: number
  /**
   * Number of messages that were left out because of the limit. Messages hidden by a compaction are not counted. For a
   * line that is not the head, only those that were read are counted.
   */
  readonly leftOut: number
  /**
   * Whether the newest turn is complete and everything is within `maxTokens`. If false, either only the end of a turn
   * that is too long is within the limit (see `tokens.total`), or summary, memo and tools leave no room, or the user's
   * message alone is too long.
   */
  readonly fits: boolean
  /** Id of the compaction that it is based on. */
  readonly compaction?: string
  /** The line that was read. */
  readonly branch: string
}

/** What a summary is made from. */
export interface SummaryRequest {
  /** The instruction for the model. */
  readonly instruction: string
  /**
   * The part of the conversation since the last compaction, oldest first, with complete calls and results. It is held
   * in memory as a whole: the first compaction of a long line gets all of it.
   */
  readonly messages: readonly Message[]
  /** The summary of the part before, to be continued. `''` if there was none. */
  readonly previousSummary: string
  readonly signal: AbortSignal
}

/** Makes a summary with a model. If it throws or returns `''`, nothing changes. */
export type Summarise = (request: SummaryRequest) => string | Promise<string>

/** How far a compaction is. */
export interface CompactionProgress {
  readonly phase: 'waiting' | 'reading' | 'summarising' | 'storing'
  /** Number of messages that are being summarised, as soon as it is known. */
  readonly messages?: number
  readonly tokensBefore?: number
}

export interface CompactOptions {
  readonly summarise: Summarise
  /** Compacts only if a model would get more tokens than this. Default 80,000. Source: ai-panel */
  readonly threshold?: number
  /** Compacts whatever the context costs, if there is anything to summarise. */
  readonly force?: boolean
  /** How many of the newest turns stay. Default 20. Source: ai-panel */
  readonly keepTurns?: number
  /**
   * Instead of `keepTurns`: about how many of the newest tokens stay. A turn may be split, but never a call from its
   * result. Source: pi
   */
  readonly keepTokens?: number
  readonly countTokens?: TokenCounter
  /** Default: the one of ai-panel. */
  readonly instruction?: string
  /** How long the summary may take, in milliseconds. Default 90,000. */
  readonly timeoutMs?: number
  readonly onProgress?: (progress: CompactionProgress) => void
  readonly signal?: AbortSignal
}

/**
 * The outcome of a compaction: `compacted`; `unneeded`: not over the threshold; `nothing`: there is nothing before the
 * part that stays; `empty`: the summary was blank, so nothing changed; `superseded`: another tab or call compacted
 * meanwhile, or hid what was being summarised.
 */
export type CompactionOutcome =
  | {
      readonly status: 'compacted'
      readonly id: string
      readonly summary: string
      readonly firstKeptEntryId: string
      readonly tokensBefore: number
      readonly tokensAfter: number
      readonly messages: number
    }
  | { readonly status: 'unneeded' | 'nothing' | 'empty' | 'superseded' }

/** Makes a title from the beginning of a conversation. `''` leaves the title as it is. */
export type TitleFunction = (
  messages: readonly Message[],
  options: { readonly signal: AbortSignal },
) => string | Promise<string>

export interface TitleOptions {
  readonly signal?: AbortSignal
  /** How long the title may take, in milliseconds. Default 90,000. */
  readonly timeoutMs?: number
  /** How many of the first messages the function gets. Default 6. */
  readonly messages?: number
}
