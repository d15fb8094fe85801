import type { Session } from '../../client/session-contract.ts'
import type { EntryReceipt } from '../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { MemoSettings } from './rules/memo-state.ts'
import type { PolicyResult, ResizeDecision } from './rules/resize-decision.ts'

/** Identifies a session by its handle or its key. */
export type SessionPlace = { readonly store: SessionStore } & ({ readonly key: string } | { readonly session: Session })

/** The facts that a policy decides by. */
export interface PolicyRequest {
  /** Every message of the session's line. */
  readonly full: readonly Message[]
  /** The messages that a model gets now. */
  readonly current: readonly Message[]
  readonly memo: JsonObject
  /** Settings below `session`; those of the parent apply where the session has none. */
  readonly settings: MemoSettings
  /** Assistant messages so far. */
  readonly turns: number
  readonly lastResizeTurn: number
  readonly signal: AbortSignal
}

/** Decides whether the current view is resized, and how. Replaces the limits. */
export type PolicyHandler = (request: PolicyRequest) => PolicyResult | Promise<PolicyResult>

export interface ResizeRequest extends PolicyRequest {
  readonly decision: ResizeDecision
}

/** The result of a resize handler; absent parts stay as they are. */
export interface ResizeResult {
  /**
   * If it is the end of the history that the handler got, the rest of that is hidden; any other list replaces the
   * history.
   */
  readonly full?: readonly Message[]
  readonly current?: readonly Message[]
  /** Any value but an object counts as `{}`. */
  readonly memo?: JsonObject
}

export type ResizeHandler = (request: ResizeRequest) => ResizeResult | Promise<ResizeResult>

/** Describes the parts of a message that are not text. Default: an {@link AttachmentSummary} of each. */
export type AttachmentSummaryHandler = (request: {
  readonly message: Message
  readonly signal: AbortSignal
}) => readonly JsonValue[] | Promise<readonly JsonValue[]>

export interface MemoUpdateRequest {
  readonly memo: JsonObject
  /** The messages that are not in the memo yet (lite), or one part of the whole history (deep). */
  readonly messages: readonly Message[]
  readonly attachments: readonly JsonValue[]
  readonly settings: MemoSettings
  readonly signal: AbortSignal
}

/** Makes the next memo. Any value but an object leaves the memo as it is; an error leaves everything as it is. */
export type MemoUpdateHandler = (request: MemoUpdateRequest) => unknown

/** The input for a model that updates a memo, with the names that AgentlyMemoSession uses. */
export interface MemoModelRequest {
  readonly current_memo: JsonObject
  readonly messages: readonly Message[]
  readonly attachments: readonly JsonValue[]
  /** The instructions for the model: setting `session.memo.instruct`. */
  readonly instruct: JsonValue
  readonly signal: AbortSignal
}

/** A model that updates memos. Returns `{ memo }` or the memo itself. */
export type MemoModel = (request: MemoModelRequest) => unknown

export interface MemoHandlers {
  /**
   * Name of the database, if it has one: then only one tab resizes a session at a time, and no model is asked twice.
   */
  readonly name?: string
  readonly policyHandler?: PolicyHandler
  /** Replaces both default handlers: a resize of any other type fails (HandlerMissing). */
  readonly resizeHandlers?: Readonly<Record<string, ResizeHandler>>
  readonly attachmentSummaryHandler?: AttachmentSummaryHandler
  readonly memoUpdateHandler?: MemoUpdateHandler
  /** Updates the memo if there is no `memoUpdateHandler`. */
  readonly model?: MemoModel
  /** An agent's settings: those below `session` apply where the session has none of its own. Never stored. */
  readonly parentSettings?: JsonObject
  /**
   * How long one call of a handler or a model may take, in milliseconds. Default 90,000. A handler must not resize its
   * own session or replace its history: it would wait for itself until this time is over.
   */
  readonly timeoutMs?: number
}

export type MemoSessionOptions = SessionPlace &
  MemoHandlers & {
    /**
     * What a resize does when the memo is on, but neither a model nor a handler can update it: `fail` (default) throws
     * HandlerMissing; `leave` prunes the current view and leaves the memo as it is. The pruned messages are added to
     * the memo once it can be updated.
     */
    readonly withoutUpdater?: 'fail' | 'leave'
  }

export interface MemoLimit {
  /**
   * Size of the current view in code points from which it is resized; 0: never. `null` returns to the default, 12,000.
   */
  readonly chars?: number | null
  /** Maximum number of messages in the current view; `null`: no limit. */
  readonly messages?: number | null
}

export interface MemoConfiguration {
  /** `memo` turns the memo on, `lite` turns it off; any other mode leaves it as it is. */
  readonly mode?: string
  readonly limit?: MemoLimit
  /** Turns after which the current view is resized; 0: never. */
  readonly everyNTurns?: number | null
}

export interface MemoCallOptions {
  readonly signal?: AbortSignal
}

export interface ResizeOptions extends MemoCallOptions {
  /** Replaces the limit of size for this call, such as when a model accepts less. */
  readonly chars?: number
}

/**
 * A session with two views and a memo: the full history, the part of it that a model gets (the current view), and facts
 * to remember of the rest. All of them are stored in the session, so that they survive a reload and are the same in
 * every tab. Settings are stored with the session too, but handlers are not.
 *
 * Source: AgentlyMemoSession, whose sync and async forms are one here
 */
export interface MemoSession {
  readonly key: string
  readonly store: SessionStore
  /** Every message of the session's line. */
  fullHistory(options?: MemoCallOptions): Promise<readonly Message[]>
  /**
   * The current view: the messages that the last resize kept, and all later ones. It is pruned by message, as in
   * Agently, so that it may begin within a turn, with the result of a tool whose call was removed. A model gets calls
   * and results only in pairs: see `context()` of a session.
   */
  currentHistory(options?: MemoCallOptions): Promise<readonly Message[]>
  memo(): Promise<JsonObject>
  /** Appends to both views. Resolves when stored. @throws InvalidInput without role or content */
  appendMessage(message: Message): Promise<EntryReceipt>
  /** What {@link resize} would do now. @throws TypeError when the policy returned an invalid result */
  judgeResize(force?: string | boolean, options?: MemoCallOptions): Promise<ResizeDecision | null>
  /**
   * Reduces the current view if the policy says so, or in any case with `force`: `true` means `deep`. Resizes of one
   * store run one after the other; of two tabs that resize at once, one takes effect, and the other decides again.
   *
   * @returns the current view
   * @throws HandlerMissing, TypeError, Aborted, SessionNotFound when the session was deleted, and the errors of
   * handlers: nothing has changed then
   */
  resize(force?: string | boolean, options?: ResizeOptions): Promise<readonly Message[]>
  configure(configuration: MemoConfiguration): Promise<MemoSession>
  setLimit(limit: MemoLimit): Promise<MemoSession>
  /** Mode `lite`: the current view is pruned, nothing is remembered. */
  useLite(configuration?: Omit<MemoConfiguration, 'mode'>): Promise<MemoSession>
  /** Mode `memo`: pruned messages are added to the memo. */
  useMemo(configuration?: Omit<MemoConfiguration, 'mode'>): Promise<MemoSession>
  /**
   * Sets `session` or a setting below it, such as `session.resize.every_n_turns`; objects are merged. @throws
   * InvalidInput for other paths
   */
  setSettings(path: string, value: JsonValue): Promise<MemoSession>
  /** Settings below `session`; those of the parent apply where the session has none. */
  settings(): Promise<MemoSettings>
  /**
   * Replaces both views and resets turns and the memo's position; the memo stays. Does not resize. @throws
   * SessionNotFound when the session was deleted
   */
  setChatHistory(messages: readonly Message[]): Promise<MemoSession>
  /** Appends, then resizes if the policy says so. */
  addChatHistory(messages: Message | readonly Message[], options?: MemoCallOptions): Promise<MemoSession>
  /**
   * Empties both views; the memo stays. A missing session is not created. @throws SessionNotFound when it was deleted
   */
  resetChatHistory(): Promise<MemoSession>
  setPolicyHandler(handler: PolicyHandler | undefined): MemoSession
  setResizeHandlers(type: string, handler: ResizeHandler): MemoSession
  setAttachmentSummaryHandler(handler: AttachmentSummaryHandler | undefined): MemoSession
  setMemoUpdateHandler(handler: MemoUpdateHandler | undefined): MemoSession
}
