import type { OperationRow } from './operation-row.ts'
import type { ColdRow, HotRow, SessionRows } from './rows.ts'

/** What is known of a session that has an unreadable row. */
export interface SessionRemains {
  /** Its local number. */
  readonly session: number
  readonly hot?: HotRow
  readonly cold?: ColdRow
  /** Lanes that have records, except that of the control entries. */
  readonly lanes: readonly number[]
  /** An upper bound of the operations ever stored. */
  readonly operations: number
  /** The readable ones of the newest operations in an unreadable hot row. */
  readonly recent: readonly OperationRow[]
}

/** How unreadable rows are replaced. */
export interface RowSalvage {
  /** @returns `undefined` when there is no such session, or it is unknown which entries are its own */
  findRemains(key: string): Promise<SessionRemains | undefined>
  /**
   * Replaces unreadable rows.
   *
   * @param broken - versions of rows that look intact but are not
   * @returns false, and changes nothing, if the rows can be read by now or the session has changed
   */
  replaceRows(rows: SessionRows, broken?: BrokenRows): Promise<boolean>
  /** Finds rows under other local numbers than these, with the key of the session that they belong or belonged to. */
  findOtherNumbers(known: ReadonlySet<number>): Promise<readonly NumberedKey[]>
}

/** A local number, and the key of its session. */
export interface NumberedKey {
  readonly session: number
  readonly key: string
}

/** Repaired rows of a session. */
export interface RepairedRows {
  readonly rows: SessionRows
  /** Whether they were rebuilt and stored by this call. False: there was no room, or another tab was faster. */
  readonly isRepaired: boolean
  /** There was no room to store them, so no plan that is based on them can be stored. */
  readonly hasNoRoom?: true
}

/** Versions of a session's rows that look intact but are not. */
export interface BrokenRows {
  readonly hot?: number
  readonly cold?: number
}
