/** A draft's first row. Its chunks follow it. */
export interface DraftRow {
  readonly id: string
  readonly session: number
  readonly key: string
  readonly branch: string
  readonly role: string
  readonly startedAt: number
  /** The session's version then. */
  readonly version: number
  /** Name of the Web Lock its owner holds while it lives. */
  readonly owner?: string
  /** The interrupted entry it goes on with. Its first chunk is what that entry had. */
  readonly resumes?: { readonly branch: string; readonly order: string }
}
