/** What is kept of the other side between two runs. Nothing in it is needed: without it more is fetched. */
export interface RememberedSync {
  /** The list of sessions, as a Yjs update. */
  readonly index: Uint8Array
}

export interface SyncMemory {
  load(): Promise<RememberedSync | undefined>
  save(state: RememberedSync): Promise<void>
}
