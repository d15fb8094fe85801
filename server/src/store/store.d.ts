/** What a document's updates are kept in. Updates are Yjs updates, version 1; a document is their union in any order. */
export interface DocumentStore {
  /** True when other nodes may write to the same documents. */
  readonly shared: boolean
  /** Why this server may not write to it any more, once it knows that. */
  readonly lost: Error | undefined
  /** Reads a document, which is empty when nobody has written it, and keeps it open for writing. */
  open(name: string): Promise<{ readonly updates: readonly Uint8Array[]; readonly log: DocumentLog }>
  /** Tries whether it can be written to; rejects with the cause when not. */
  probe(): Promise<void>
  /** Finishes what was begun, then lets go of everything. */
  close(): Promise<void>
}

/** One open document. */
export interface DocumentLog {
  /** What is stored of it, in bytes, as far as this node knows. */
  readonly size: number
  /** Resolves once the update would survive the death of this process and of the machine. */
  append(update: Uint8Array): Promise<void>
  /** Makes one state of all that is stored. */
  compact(): Promise<void>
  /** What other nodes have stored since the last look. */
  newer(): Promise<readonly Uint8Array[]>
  /** @param options - `compact`: it holds what was erased, and is to be made into one state first */
  close(options?: { readonly compact?: boolean }): Promise<void>
}

/** Blobs by the hash of their content, apart for each namespace. */
export interface BlobStore {
  /** Where an upload is written until its hash is known. */
  readonly temporary: string
  size(namespace: string, hash: string): Promise<number | undefined>
  read(namespace: string, hash: string): Promise<{ readonly size: number; readonly body: import('node:stream').Readable } | undefined>
  /** Takes the file at `path`, which has this hash, over; durable when it resolves. */
  put(namespace: string, hash: string, path: string): Promise<void>
}
