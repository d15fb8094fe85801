import type { SessionRows, StoredEntry } from './rows.ts'

/** Positions in one session whose entries are requested. */
export interface SessionPlaces {
  readonly key: string
  /** Its local number. If it has another one now, the session was created again and has none of these positions. */
  readonly session: number
  readonly places: readonly { readonly branch: string; readonly order: string }[]
}

/** A session as it is now, and the entries at the requested positions, in that order. */
export interface PlacedEntries {
  readonly rows: SessionRows
  readonly entries: readonly (StoredEntry | undefined)[]
}

/** Reads the entries at positions of many sessions; `undefined` for a session that does not exist or can't be read. */
export type ReadPlaces = (asked: readonly SessionPlaces[]) => Promise<readonly (PlacedEntries | undefined)[]>
