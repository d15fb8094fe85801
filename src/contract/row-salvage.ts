import type { ColdRow, HotRow, OperationRow, SessionRows } from './rows.ts'

/** What can be told of a session of which a row can't be read. */
export interface SessionRemains {
  /** Its local number. */
  readonly session: number
  readonly hot?: HotRow
  readonly cold?: ColdRow
  /** Lanes that have records, control entries aside. */
  readonly lanes: readonly number[]
  /** Operations ever stored, or more. */
  readonly operations: number
  /** What can be read of the newest operations of a hot row that can't. */
  readonly recent: readonly OperationRow[]
}

/** How rows that can't be read are made good. */
export interface RowSalvage {
  /** @returns `undefined` when there is no such session, or nobody can tell which entries are its own */
  findRemains(key: string): Promise<SessionRemains | undefined>
  /**
   * Puts rows in the place of those that can't be read.
   *
   * @param broken - versions of rows that look sound and are not
   * @returns false when they can be read by now, or the session has changed, and nothing was done
   */
  replaceRows(rows: SessionRows, broken?: BrokenRows): Promise<boolean>
}

/** Rows of a session that could not be read before. */
export interface RepairedRows {
  readonly rows: SessionRows
  /** Whether they were made again and stored just now: there was room for them, and nobody was faster. */
  readonly isRepaired: boolean
  /** There was no room to store them: no plan that is made on them can be. */
  readonly hasNoRoom?: true
}

/** Versions of a session's rows that look sound and are not. */
export interface BrokenRows {
  readonly hot?: number
  readonly cold?: number
}
