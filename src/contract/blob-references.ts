/** How many entries more, or fewer, of a session name a blob. */
export interface ReferenceChange {
  readonly hash: string
  readonly by: number
  /**
   * Milliseconds since 1970: where nothing names it any more, it waits to be collected from then on. What names it may
   * be on its way to another session.
   */
  readonly at: number
  /** Entries that are lost may name it: it is kept, though no other does. */
  readonly isLost?: boolean
}

/** What a place knows of a blob that entries of a session name. */
export interface BlobReference {
  readonly hash: string
  /** Entries that name it. */
  readonly count: number
  /** Whether it was put here: what looks like a hash may be something else, or the blob still come. */
  readonly wasPut: boolean
}
