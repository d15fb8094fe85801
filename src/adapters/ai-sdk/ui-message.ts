/**
 * A message of the AI SDK, as far as this adapter knows it. `UIMessage` of `ai` fits.
 */
export interface ChatMessage {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly metadata?: unknown
  readonly parts: readonly { readonly type: string }[]
}

/** A part, or a chunk: every kind has some fields of its own. */
export interface Fields {
  readonly type: string
  readonly [field: string]: unknown
}

/** A message while it is made. */
export interface GrowingMessage {
  readonly id: string
  readonly role: ChatMessage['role']
  metadata?: unknown
  readonly parts: GrowingPart[]
}

export interface GrowingPart {
  readonly type: string
  [field: string]: unknown
}

/** A message that was loaded: `interrupted` when its reply was stopped or cut off. */
export type LoadedMessage<M extends ChatMessage> = M & { readonly interrupted?: true }

/** A transport of the AI SDK. `ChatTransport` of `ai` fits. */
export interface AnyTransport {
  sendMessages(options: never): Promise<ReadableStream<unknown>>
  reconnectToStream(options: never): Promise<ReadableStream<unknown> | null>
  close?(): void
}
