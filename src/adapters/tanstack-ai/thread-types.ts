/** A `UIMessage` of TanStack AI, as far as this adapter knows it. */
export interface ThreadMessage {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly ThreadPart[]
}

/** A part: every kind has some fields of its own. */
export interface ThreadPart {
  readonly type: string
}

/** What a chat of TanStack AI stores of a thread: `ChatPersistedState` of `@tanstack/ai-client`. */
export interface ThreadState<M> {
  messages: M[]
  /** Which run to rejoin, and which interrupts are pending. */
  // biome-ignore lint/suspicious/noExplicitAny: it belongs to the client, which alone knows its shape.
  resume?: any
}

/** The `ChatClientPersistence` of `@tanstack/ai-client`, over sessions. */
export interface ThreadPersistence<M> {
  /** The messages of a thread, oldest first; `null` when there are none. @throws StorageClosed */
  getItem(id: string): Promise<ThreadState<M> | null>
  /** Takes the messages that the chat shows now. What changed is stored in the background. */
  setItem(id: string, state: ThreadState<M>): void
  /** Moves the session of the thread to the trash. */
  removeItem(id: string): Promise<void>
  /**
   * Stores what is not stored yet, of all threads, or of one. A reply that is being streamed is stored as it is, and goes on.
   *
   * @throws what made a write fail that a later one may do (as QuotaExceeded, WorkerLost). A message that can't be stored
   *   at all, such as one that JSON can't represent, is left out, and only `onError` is told of it
   */
  flush(id?: string): Promise<void>
}
