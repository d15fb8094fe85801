import type { TurnRef } from './entry.ts'

/** A draft's first row. Its chunks follow it. */
export interface DraftRow {
  readonly id: string
  readonly session: number
  readonly key: string
  readonly branch: string
  readonly role: string
  /** The turn that it was begun in: its entry belongs there. Absent in an empty session. */
  readonly turn?: TurnRef
  readonly startedAt: number
  /** The session's version when the draft was opened. */
  readonly version: number
  /** Name of the Web Lock its owner holds while it lives. */
  readonly owner?: string
  /** The interrupted entry that it resumes. Its first chunk is the content of that entry. */
  readonly resumes?: { readonly branch: string; readonly order: string }
}
