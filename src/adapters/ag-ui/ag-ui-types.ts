/** A message of AG-UI: a part of what its `Message` has. */
export interface AgUiMessage {
  readonly id: string
  readonly role: string
  readonly content?: unknown
}

/** What an agent tells with each event. */
interface Told {
  readonly messages: readonly AgUiMessage[]
  readonly state: unknown
}

/** The part of AG-UI's `AgentSubscriber` that records. */
interface RecordingSubscriber {
  onRunInitialized(told: Told): Promise<void>
  onRunErrorEvent(told: Told & { readonly event: { readonly code?: string } }): void
  onRunFailed(told: Told & { readonly error: Error }): void
  onRunFinalized(told: Told): void
  onTextMessageStartEvent(told: Told & { readonly event: { readonly messageId: string; readonly role?: string } }): void
  onTextMessageContentEvent(
    told: Told & { readonly event: { readonly messageId: string; readonly delta: string } },
  ): void
  onNewMessage(told: Told & { readonly message: AgUiMessage }): void
  onNewToolCall(told: Told & { readonly toolCall: { readonly id: string } }): void
}

/** An agent of AG-UI, as far as it is recorded: `AbstractAgent`, `HttpAgent`. */
export interface RecordableAgent {
  subscribe(subscriber: RecordingSubscriber): { unsubscribe(): void }
}

/** What an agent begins with: pass it to the constructor of one. */
export interface AgentSnapshot<M = AgUiMessage> {
  /** The key of the session. */
  readonly threadId: string
  readonly initialMessages: M[]
  /** The state after the last run on this line; absent if no run left one. */
  // biome-ignore lint/suspicious/noExplicitAny: as AG-UI declares it.
  readonly initialState?: any
}
