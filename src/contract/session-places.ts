import type { SessionRows, StoredEntry } from './rows.ts'

/** Places of one session of which the entries are wanted. */
export interface SessionPlaces {
  readonly key: string
  /** Its local number. When it has another one now it was made anew, and has none of these places. */
  readonly session: number
  readonly places: readonly { readonly branch: string; readonly order: string }[]
}

/** A session as it is now, and the entries at the places asked for, in that order. */
export interface PlacedEntries {
  readonly rows: SessionRows
  readonly entries: readonly (StoredEntry | undefined)[]
}

/** Reads what lies at places of many sessions; `undefined` for a session that is not there, or can't be read. */
export type ReadPlaces = (asked: readonly SessionPlaces[]) => Promise<readonly (PlacedEntries | undefined)[]>
