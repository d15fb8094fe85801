import type { ModelContext, Summarise, TokenCounter, ToolDefinition } from '../../client/context/context-types.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

/** A request for a session's context. */
export interface AssembleRequest {
  readonly key: string
  /** Tokens of the model's context window. */
  readonly contextWindow: number
  /** Tokens that the reply may have. */
  readonly maxTokens: number
  readonly tools?: readonly ToolDefinition[]
  readonly signal?: AbortSignal
}

/**
 * Why a context is reduced: after a run (`summarise`), before a request that would not fit, or because a model refused
 * a request as too long.
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

/** Decides which part of a session a model gets, and when that part is reduced. Source: PicoClaw, `ContextManager` */
export interface ContextManager {
  assemble(request: AssembleRequest): Promise<ModelContext>
  /** Reduces the context if necessary. @returns whether anything was changed */
  shrink(request: ShrinkRequest): Promise<boolean>
  /** Called with each message once it is stored. */
  ingest(key: string, message: Message): Promise<void>
  /** Forgets the conversation: no history, no summary. */
  clear(key: string): Promise<void>
}

/** The parts that a context manager needs. */
export interface ContextManagerParts {
  readonly store: SessionStore
  /** Name of the database, if it has one. Web Locks with this name keep work from running in several tabs at once. */
  readonly name?: string
  /** Absent: summaries are made without a model, if the manager supports that. */
  readonly summarise?: Summarise
  readonly countTokens?: TokenCounter
}

export type ContextManagerFactory = (parts: ContextManagerParts) => ContextManager | Promise<ContextManager>
