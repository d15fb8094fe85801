/** By how many entries of a session more, or fewer, a blob is named. */
export interface ReferenceChange {
  readonly hash: string
  readonly by: number
  /**
   * Milliseconds since 1970: if nothing names the blob any more, it waits to be collected from then on. Entries that
   * name it may be on their way to another session.
   */
  readonly at: number
  /** Lost entries may name it, so it is kept even if no other entry does. */
  readonly isLost?: boolean
}

/** What a backend knows of a blob that entries of a session name. */
export interface BlobReference {
  readonly hash: string
  /** How many entries name it. */
  readonly count: number
  /** Whether the blob was put here. Otherwise the text may only look like a hash, or the blob may still arrive. */
  readonly wasPut: boolean
}
