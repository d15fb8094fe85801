/** Stores a document's updates. Updates are Yjs updates, version 1; a document is their union in any order. */
export interface DocumentStore {
  /** True when other nodes may write to the same documents. */
  readonly shared: boolean
  /** The reason why this server may no longer write to it, if it knows of one. */
  readonly lost: Error | undefined
  /** Reads a document, which is empty if nobody has written to it, and keeps it open for writing. */
  open(name: string): Promise<{ readonly updates: readonly Uint8Array[]; readonly log: DocumentLog }>
  /** Checks whether it can be written to; rejects with the cause if not. */
  probe(): Promise<void>
  /** Finishes running writes, then closes everything. */
  close(): Promise<void>
}

/** One open document. */
export interface DocumentLog {
  /** The number of its stored bytes, as far as this node knows. */
  readonly size: number
  /** Resolves once the update would survive the end of this process and of the machine. */
  append(update: Uint8Array): Promise<void>
  /** Merges everything that is stored into one state. */
  compact(): Promise<void>
  /** Returns what other nodes have stored since the last call. */
  newer(): Promise<readonly Uint8Array[]>
  /** @param options - `compact`: it still has erased content, and has to be compacted first */
  close(options?: { readonly compact?: boolean }): Promise<void>
}

/** Blobs by the hash of their content, separate for each namespace. */
export interface BlobStore {
  /** The folder of uploads until their hash is known. */
  readonly temporary: string
  size(namespace: string, hash: string): Promise<number | undefined>
  read(
    namespace: string,
    hash: string,
  ): Promise<{ readonly size: number; readonly body: import('node:stream').Readable } | undefined>
  /** Takes the file at `path`, which has this hash, or leaves it to be removed; durable when it resolves. */
  put(namespace: string, hash: string, path: string): Promise<void>
}
