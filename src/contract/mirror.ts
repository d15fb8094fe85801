/** Whether what a worker stores is mirrored beside its database. */
export interface MirrorState {
  readonly isOn: boolean
  /** Why not. */
  readonly reason?: string
  /** Whether the mirror has what another database held, which is gone. */
  readonly hasLost?: boolean
}

/** What became of a database and its mirror when they were held against each other. */
export interface MirrorReport {
  /** Sessions of which the database had lost something that was put back. */
  readonly refilled: readonly string[]
  /** Entries that were put back. */
  readonly entries: number
  /** Those of them that somebody had been told were stored. */
  readonly lost: number
  /** Entries that the mirror lacked. */
  readonly copied: number
  /** Blobs that were put back. */
  readonly blobs: number
  /** What could not be put back. */
  readonly left: readonly { readonly key: string; readonly reason: string }[]
}
