/** What is kept of the other side between two runs. Nothing in it is needed: without it more is fetched. */
export interface RememberedSync {
  /** The list of sessions, as a Yjs update. */
  readonly index: Uint8Array
  /** Id of the key that it was written with. Of another key's, nothing counts. */
  readonly keyId?: string
  /** Hashes of blobs that were named and not carried yet. */
  readonly blobs?: readonly string[]
}

export interface SyncMemory {
  load(): Promise<RememberedSync | undefined>
  save(state: RememberedSync): Promise<void>
}
