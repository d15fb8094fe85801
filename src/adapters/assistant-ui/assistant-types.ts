/** A message of assistant-ui and what it follows: `ExportedMessageRepositoryItem`, `MessageFormatItem`. */
export interface HistoryItem<M> {
  parentId: string | null
  message: M
  // biome-ignore lint/suspicious/noExplicitAny: it belongs to the app.
  runConfig?: any
}

/** The messages of a thread with all their branches, each behind the one that it follows. */
export interface HistoryMessages<M> {
  /** The last message of the branch that is shown; `null` when there is none. */
  headId: string | null
  messages: HistoryItem<M>[]
}

/** The `GenericThreadHistoryAdapter` of `@assistant-ui/core`. */
export interface FormattedHistory<M> {
  load(): Promise<HistoryMessages<M>>
  /** Stores a message behind the one that it follows. Messages behind the same one are branches. */
  append(item: HistoryItem<M>): Promise<void>
  /** Stores a message again, or for the first time. An equal one writes nothing. */
  update(item: HistoryItem<M>): Promise<void>
  /** Removes messages. What follows them stays, behind what they followed. */
  delete(items: HistoryItem<M>[]): Promise<void>
}

/** The `ThreadHistoryAdapter` of `@assistant-ui/core`, over a session. */
export interface SessionHistory<M> extends FormattedHistory<M> {
  /** Which thread this is: a local runtime that gets a history of another one loads its messages. */
  readonly scopeId?: string | undefined
  /** The same for messages in a format of another library, such as the AI SDK's. */
  withFormat<T, S extends Record<string, unknown>>(format: MessageFormat<T, S>): FormattedHistory<T>
  /** Ends the object URLs of the files that were loaded, and of those that are being loaded. */
  close(): Promise<void>
}

/** The `MessageFormatAdapter` of `@assistant-ui/core`. */
export interface MessageFormat<T, S extends Record<string, unknown>> {
  format: string
  encode(item: { parentId: string | null; message: T }): S
  decode(stored: { id: string; parent_id: string | null; format: string; content: S }): {
    parentId: string | null
    message: T
  }
  getId(message: T): string
}

/** A thread as a list shows it: `RemoteThreadMetadata` of `@assistant-ui/core`. */
export interface ListedThread {
  readonly status: 'regular' | 'archived'
  /** The key of the session. */
  readonly remoteId: string
  readonly title?: string
  readonly lastMessageAt?: Date
  readonly custom?: Record<string, unknown>
}

/** The `RemoteThreadListAdapter` of `@assistant-ui/core`, over a client. */
export interface SessionThreadList<M> {
  /** One page of the threads, the one with the newest message first. */
  list(page?: { after?: string | undefined }): Promise<{ threads: ListedThread[]; nextCursor?: string }>
  /** @throws SessionNotFound */
  rename(remoteId: string, title: string): Promise<void>
  /** Sets `custom` of the session. @throws SessionNotFound */
  updateCustom(remoteId: string, custom: Record<string, unknown> | undefined): Promise<void>
  /** @throws SessionNotFound */
  archive(remoteId: string): Promise<void>
  /** @throws SessionNotFound */
  unarchive(remoteId: string): Promise<void>
  /** Moves the session to the trash. */
  delete(remoteId: string): Promise<void>
  /** Creates the session of a new thread, under the id of the thread. @throws SessionNotFound when it was deleted */
  initialize(
    threadId: string,
    options?: { custom?: Record<string, unknown> | undefined },
  ): Promise<{ remoteId: string; externalId: undefined }>
  /** The title, as a stream of one text. */
  // biome-ignore lint/suspicious/noExplicitAny: the chunks of `assistant-stream`, which may be missing here.
  generateTitle(remoteId: string, messages: readonly M[]): Promise<ReadableStream<any>>
  /** @throws SessionNotFound */
  fetch(threadId: string): Promise<ListedThread>
}

/** A file before it is sent: `PendingAttachment` of `@assistant-ui/core`. */
export interface ChosenFile {
  id: string
  type: 'image' | 'document' | 'file'
  name: string
  contentType: string
  file: File
  status: { type: 'requires-action'; reason: 'composer-send' }
}

/** A file that was sent: `CompleteAttachment` of `@assistant-ui/core`. */
export interface SentFile {
  id: string
  type: 'image' | 'document' | 'file'
  name: string
  contentType: string
  status: { type: 'complete' }
  // biome-ignore lint/suspicious/noExplicitAny: parts of a user's message, of which there are many kinds.
  content: any[]
}

/** The `AttachmentAdapter` of `@assistant-ui/core`, over the blobs of a store. */
export interface BlobAttachments {
  accept: string
  add(state: { file: File }): Promise<ChosenFile>
  remove(attachment: unknown): Promise<void>
  /** Stores the file. @throws Aborted, QuotaExceeded */
  // biome-ignore lint/suspicious/noExplicitAny: other adapters' attachments have types of their own.
  send(attachment: any, options?: { signal?: AbortSignal }): Promise<SentFile>
  /** The same messages with the bytes of their files as data URLs, for a model. */
  forModel<M>(messages: readonly M[]): Promise<M[]>
  /** Ends the object URLs of the files that were sent. */
  close(): void
}
