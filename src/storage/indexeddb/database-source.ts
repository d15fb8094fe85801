import type { NoticeChange } from '../../contract/change.ts'

/** The database, and the callbacks for what happens to it. */
export interface DatabaseSource {
  readonly name: string
  readonly indexedDB: IDBFactory
  readonly IDBKeyRange: typeof IDBKeyRange
  readonly blockedAfterMs: number
  /** Whether the caller can decrypt content. */
  readonly canUnseal: boolean
  readonly notify: (name: NoticeChange['name'], message: string) => void
  readonly onLost?: LossListener
}

/**
 * Called when the connection was lost under a call, which may have been stored or not.
 *
 * @param isFinal - whether several attempts to open it again failed
 */
export type LossListener = (reason: string, isFinal: boolean) => void
