import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'

/** Tokens of one message. Must be a whole number from 0 up. */
export type TokenCounter = (message: Message) => number

/** A tool as a model is told of it. */
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
   * Tokens that everything may have together: system text, messages and tools. Where that is not enough, the oldest
   * whole turns are left out. The newest one stays as far as it fits, the user's message that starts it whatever it
   * costs: what is asked is never missing (PicoClaw's trimming may leave nothing). Default: no limit.
   */
  readonly maxTokens?: number
  /** Tools that go out with the request: they count. */
  readonly tools?: readonly ToolDefinition[]
  /** Default: `estimateContextTokens` (ai-panel: a quarter of the content's UTF-8 bytes; an image 256, as PicoClaw). */
  readonly countTokens?: TokenCounter
  /**
   * Where the summary and the memo go: `message` (default) puts them in front of the messages as one message of role
   * `system`; `apart` leaves that to the caller, for providers that take it as a field of its own.
   */
  readonly system?: 'message' | 'apart'
  /** Whether the session's memo goes out, when it has one, or how it is told. Default true: as JSON. */
  readonly memo?: boolean | ((memo: JsonObject) => string)
  readonly signal?: AbortSignal
}

/** What a context costs, in tokens. */
export interface ContextTokens {
  /** Of all of it. */
  readonly total: number
  readonly summary: number
  readonly memo: number
  readonly messages: number
  readonly tools: number
}

/** What a model gets to see of a session. */
export interface ModelContext {
  /**
   * Ready to be sent: every tool call has its results, every result its call, and no assistant's message is empty. With
   * `system: 'message'` the first one is the system text.
   */
  readonly messages: readonly Message[]
  /** Summary and memo as text; `''` when there is neither. */
  readonly system: string
  /** What stands for the part that was compacted; `''` when nothing does. */
  readonly summary: string
  readonly memo: JsonObject
  readonly tokens: ContextTokens
  /** Turns in it. */
  readonly turns: number
  /**
   * Messages that were left out for want of room. 0 when all fit; what is hidden by a compaction is not counted. Of a
   * line that is not the head, only those that were looked at.
   */
  readonly leftOut: number
  /**
   * Whether the newest turn is there whole and all of it is within `maxTokens`. Where it is false, the end of a turn
   * that is too long may be within (`tokens.total` says so); otherwise summary, memo and tools leave no room, or the
   * user's message alone is too much.
   */
  readonly fits: boolean
  /** Id of the compaction it rests on. */
  readonly compaction?: string
  /** The line it is of. */
  readonly branch: string
}

/** What is to be summarised. */
export interface SummaryRequest {
  /** What to tell the model to do. */
  readonly instruction: string
  /**
   * The part of the conversation since the last compaction, oldest first, calls and results complete. It is all in
   * memory: a first compaction of a long line gives all of it.
   */
  readonly messages: readonly Message[]
  /** What stood for the part before; to be carried on. `''` when there was none. */
  readonly previousSummary: string
  readonly signal: AbortSignal
}

/** Makes a summary with a model. Throwing, and `''`, leave everything as it was. */
export type Summarise = (request: SummaryRequest) => string | Promise<string>

/** How far a compaction is. */
export interface CompactionProgress {
  readonly phase: 'waiting' | 'reading' | 'summarising' | 'storing'
  /** Messages that are being summarised, as soon as that is known. */
  readonly messages?: number
  readonly tokensBefore?: number
}

export interface CompactOptions {
  readonly summarise: Summarise
  /** Compact only when a model would get more tokens than this. Default 80,000. Source: ai-panel */
  readonly threshold?: number
  /** Compact whatever it costs now, if there is anything to summarise. */
  readonly force?: boolean
  /** How many of the newest turns stay. Default 20. Source: ai-panel */
  readonly keepTurns?: number
  /**
   * In the place of `keepTurns`: about how many of the newest tokens stay, and a turn may be split, never a call from
   * its result. Source: pi
   */
  readonly keepTokens?: number
  readonly countTokens?: TokenCounter
  /** Default: ai-panel's. */
  readonly instruction?: string
  /** How long the summary may take, in milliseconds. Default 90,000. */
  readonly timeoutMs?: number
  readonly onProgress?: (progress: CompactionProgress) => void
  readonly signal?: AbortSignal
}

/**
 * What became of a compaction: `compacted`; `unneeded`: not over the threshold; `nothing`: there is nothing before what
 * stays; `empty`: the summary was blank, so nothing was changed; `superseded`: another tab or call compacted meanwhile,
 * or hid what was being summarised.
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

/** Makes a title of the beginning of a conversation. `''` leaves the title as it is. */
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
