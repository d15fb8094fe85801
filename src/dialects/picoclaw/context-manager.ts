import type { ModelContext, Summarise, TokenCounter, ToolDefinition } from '../../client/context/context-types.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

/** What a request needs of a session. */
export interface AssembleRequest {
  readonly key: string
  /** Tokens of the model's context window. */
  readonly contextWindow: number
  /** Tokens that the reply may take. */
  readonly maxTokens: number
  readonly tools?: readonly ToolDefinition[]
  readonly signal?: AbortSignal
}

/**
 * Why a context is to be made smaller: after a run (`summarise`), before a request that would not fit, or because a
 * model refused one as too long.
 */
export type ShrinkReason = 'summarise' | 'proactive-budget' | 'model-refused'

export interface ShrinkRequest {
  readonly key: string
  readonly reason: ShrinkReason
  readonly contextWindow: number
  readonly maxTokens: number
  readonly tools?: readonly ToolDefinition[]
  readonly signal?: AbortSignal
}

/** Decides what a model gets of a session, and when that is made smaller. Source: PicoClaw, `ContextManager` */
export interface ContextManager {
  assemble(request: AssembleRequest): Promise<ModelContext>
  /** Makes the context smaller where that is due. @returns whether anything was changed */
  shrink(request: ShrinkRequest): Promise<boolean>
  /** Told of each message once it is stored. */
  ingest(key: string, message: Message): Promise<void>
  /** Forgets the conversation: no history, no summary. */
  clear(key: string): Promise<void>
}

/** What a context manager works with. */
export interface ContextManagerParts {
  readonly store: SessionStore
  /** Name of the database, where it has one: what must run once in all tabs is locked under it. */
  readonly name?: string
  /** Absent: summaries are made without a model, where the manager knows a way. */
  readonly summarise?: Summarise
  readonly countTokens?: TokenCounter
}

export type ContextManagerFactory = (parts: ContextManagerParts) => ContextManager | Promise<ContextManager>
