/** What is kept of the other side between two runs. It can be lost: more is fetched then. */
export interface RememberedSync {
  /** The list of sessions, as a Yjs update. */
  readonly index: Uint8Array
  /** Id of the key that the list was written with. A list under another key is not used. */
  readonly keyId?: string
  /** Hashes of blobs that were named and not copied yet. */
  readonly blobs?: readonly string[]
}

export interface SyncMemory {
  load(): Promise<RememberedSync | undefined>
  save(state: RememberedSync): Promise<void>
}
