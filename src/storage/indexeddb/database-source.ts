import type { NoticeChange } from '../../contract/change.ts'

/** Where the database is, and what to do when something happens to it. */
export interface DatabaseSource {
  readonly name: string
  readonly indexedDB: IDBFactory
  readonly IDBKeyRange: typeof IDBKeyRange
  readonly blockedAfterMs: number
  /** Whether whoever opens it can read what is encrypted. */
  readonly canUnseal: boolean
  readonly notify: (name: NoticeChange['name'], message: string) => void
  readonly onLost?: LossListener
}

/**
 * Hears that the connection was lost under a call, which may have been done or not.
 *
 * @param isFinal - it did not open again, in several tries
 */
export type LossListener = (reason: string, isFinal: boolean) => void
