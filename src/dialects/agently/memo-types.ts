import type { Session } from '../../client/session-contract.ts'
import type { EntryReceipt } from '../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { MemoSettings } from './rules/memo-state.ts'
import type { PolicyResult, ResizeDecision } from './rules/resize-decision.ts'

/** Which session: a handle on it, or its key. */
export type SessionPlace = { readonly store: SessionStore } & ({ readonly key: string } | { readonly session: Session })

/** What a policy looks at. */
export interface PolicyRequest {
  /** Every message of the session's line. */
  readonly full: readonly Message[]
  /** What a model gets now. */
  readonly current: readonly Message[]
  readonly memo: JsonObject
  /** Settings below `session`, those of the parent underneath. */
  readonly settings: MemoSettings
  /** Assistant messages so far. */
  readonly turns: number
  readonly lastResizeTurn: number
  readonly signal: AbortSignal
}

/** Says whether the current view is to be resized, and how. Goes before every limit. */
export type PolicyHandler = (request: PolicyRequest) => PolicyResult | Promise<PolicyResult>

export interface ResizeRequest extends PolicyRequest {
  readonly decision: ResizeDecision
}

/** What a resize handler made; what is absent stays as it is. */
export interface ResizeResult {
  /** The end of the history it got hides the rest of it; anything else takes its place. */
  readonly full?: readonly Message[]
  readonly current?: readonly Message[]
  /** No object counts as `{}`. */
  readonly memo?: JsonObject
}

export type ResizeHandler = (request: ResizeRequest) => ResizeResult | Promise<ResizeResult>

/** Tells of a message's parts that are no text. Default: {@link AttachmentSummary} of each. */
export type AttachmentSummaryHandler = (request: {
  readonly message: Message
  readonly signal: AbortSignal
}) => readonly JsonValue[] | Promise<readonly JsonValue[]>

export interface MemoUpdateRequest {
  readonly memo: JsonObject
  /** What the memo has not taken in yet (lite), or one part of the whole history (deep). */
  readonly messages: readonly Message[]
  readonly attachments: readonly JsonValue[]
  readonly settings: MemoSettings
  readonly signal: AbortSignal
}

/** Makes the next memo. Anything but an object leaves the memo as it is; throwing leaves everything as it is. */
export type MemoUpdateHandler = (request: MemoUpdateRequest) => unknown

/** What a model is given to update a memo. Names as AgentlyMemoSession sends them. */
export interface MemoModelRequest {
  readonly current_memo: JsonObject
  readonly messages: readonly Message[]
  readonly attachments: readonly JsonValue[]
  /** What to tell the model: setting `session.memo.instruct`. */
  readonly instruct: JsonValue
  readonly signal: AbortSignal
}

/** A model that updates memos. Gives `{ memo }` or the memo itself. */
export type MemoModel = (request: MemoModelRequest) => unknown

export interface MemoHandlers {
  /**
   * Name of the database, where it has one: then only one tab resizes a session at a time, and no model is asked twice.
   */
  readonly name?: string
  readonly policyHandler?: PolicyHandler
  /** In the place of both default handlers: a type that is missing then fails (HandlerMissing). */
  readonly resizeHandlers?: Readonly<Record<string, ResizeHandler>>
  readonly attachmentSummaryHandler?: AttachmentSummaryHandler
  readonly memoUpdateHandler?: MemoUpdateHandler
  /** Updates the memo where no `memoUpdateHandler` does. */
  readonly model?: MemoModel
  /** An agent's settings: those below `session` hold where the session has none of its own. Never stored. */
  readonly parentSettings?: JsonObject
  /**
   * How long one call of a handler or a model may take, in milliseconds. Default 90,000. A handler that resizes its own
   * session, or replaces its history, waits for itself until then.
   */
  readonly timeoutMs?: number
}

export type MemoSessionOptions = SessionPlace &
  MemoHandlers & {
    /**
     * What a resize does while the memo is on and nobody here can update it: it fails (`fail`, default:
     * HandlerMissing), or prunes the current view and leaves the memo where it is (`leave`): it takes in what was
     * pruned once somebody can update it.
     */
    readonly withoutUpdater?: 'fail' | 'leave'
  }

export interface MemoLimit {
  /**
   * Size of the current view in code points from which it is resized; 0: never. `null` returns to the default, 12,000.
   */
  readonly chars?: number | null
  /** Messages that stay in the current view; `null`: no limit. */
  readonly messages?: number | null
}

export interface MemoConfiguration {
  /** `memo` turns the memo on, `lite` off; any other leaves it. */
  readonly mode?: string
  readonly limit?: MemoLimit
  /** Turns after which the current view is resized; 0: never. */
  readonly everyNTurns?: number | null
}

export interface MemoCallOptions {
  readonly signal?: AbortSignal
}

export interface ResizeOptions extends MemoCallOptions {
  /** In the place of the limit of size, this once: when a model takes less than that. */
  readonly chars?: number
}

/**
 * A session with two views and a memo: the full history, the part of it that a model gets, and what is to be remembered
 * of the rest. It keeps nothing itself: all of it lies in the session, so that it survives a reload and is the same in
 * every tab. Setters are kept with the session, handlers are not.
 *
 * Source: AgentlyMemoSession, whose sync and async forms are one here
 */
export interface MemoSession {
  readonly key: string
  readonly store: SessionStore
  /** Every message of the session's line. */
  fullHistory(options?: MemoCallOptions): Promise<readonly Message[]>
  /**
   * The current view: what the last resize left of the full one, and what came since. Pruned by message, as Agently
   * does, so it may begin within a turn, with the result of a tool whose call is gone. What a model is sent is paired:
   * see `context()` of a session.
   */
  currentHistory(options?: MemoCallOptions): Promise<readonly Message[]>
  memo(): Promise<JsonObject>
  /** Appends to both views. Resolves when stored. @throws InvalidInput without role or content */
  appendMessage(message: Message): Promise<EntryReceipt>
  /** What {@link resize} would do now. @throws TypeError when the policy gave nothing usable */
  judgeResize(force?: string | boolean, options?: MemoCallOptions): Promise<ResizeDecision | null>
  /**
   * Makes the current view smaller where that is due, or with `force` in any case: `true` means `deep`. Resizes of one
   * store run one after the other; of two tabs that do it at once, one takes effect and the other looks again.
   *
   * @returns the current view
   * @throws HandlerMissing, TypeError, Aborted, SessionNotFound when the session was deleted, and whatever a handler
   *   throws: then nothing has changed
   */
  resize(force?: string | boolean, options?: ResizeOptions): Promise<readonly Message[]>
  configure(configuration: MemoConfiguration): Promise<MemoSession>
  setLimit(limit: MemoLimit): Promise<MemoSession>
  /** Mode `lite`: the current view is pruned, nothing is remembered. */
  useLite(configuration?: Omit<MemoConfiguration, 'mode'>): Promise<MemoSession>
  /** Mode `memo`: what is pruned goes into the memo. */
  useMemo(configuration?: Omit<MemoConfiguration, 'mode'>): Promise<MemoSession>
  /**
   * Sets `session` or what is below it, such as `session.resize.every_n_turns`; objects are merged. @throws
   * InvalidInput for other paths
   */
  setSettings(path: string, value: JsonValue): Promise<MemoSession>
  /** Settings below `session`, those of the parent underneath. */
  settings(): Promise<MemoSettings>
  /**
   * Replaces both views and resets turns and the memo's position; the memo stays. Does not resize. @throws
   * SessionNotFound when the session was deleted
   */
  setChatHistory(messages: readonly Message[]): Promise<MemoSession>
  /** Appends, then resizes where that is due. */
  addChatHistory(messages: Message | readonly Message[], options?: MemoCallOptions): Promise<MemoSession>
  /**
   * Empties both views; the memo stays. A session that is not there is not made. @throws SessionNotFound when it was
   * deleted
   */
  resetChatHistory(): Promise<MemoSession>
  setPolicyHandler(handler: PolicyHandler | undefined): MemoSession
  setResizeHandlers(type: string, handler: ResizeHandler): MemoSession
  setAttachmentSummaryHandler(handler: AttachmentSummaryHandler | undefined): MemoSession
  setMemoUpdateHandler(handler: MemoUpdateHandler | undefined): MemoSession
}
