import { journalKey, purgesKey } from './schema.ts'

/** Makes key ranges; the constructor is injected together with the factory. */
export interface KeyRanges {
  /** Records of a lane with keys between two orders, both inclusive unless `open` says otherwise. */
  lane(session: number, lane: number, from: string, to: string, open?: 'from' | 'to'): IDBKeyRange
  /** All rows of a session, in the stores whose keys start with its number. */
  session(session: number): IDBKeyRange
  /** Rows of operations whose ids consist of this stem and a number up to this one. */
  runsUpTo(session: number, stem: string, count: number): IDBKeyRange
  /** Rows under a number. */
  numbered(session: number): IDBKeyRange
  /** Row and chunks of one draft. */
  draft(session: number, draft: string): IDBKeyRange
  /** The rows of a blob: its own one, then one for each session. */
  references(hash: string): IDBKeyRange
  /** Rows of `info` with unreported purges. */
  purges(): IDBKeyRange
  /** Rows of `info` with the marks of journals. */
  journals(): IDBKeyRange
  /** Rows of a collection with keys from one on and below another, or up to the end. */
  rows(collection: string, from: string, to: string | undefined): IDBKeyRange
  /** Rows of all collections. */
  allRows(): IDBKeyRange
  /** Rows of a collection with keys between two, both inclusive. */
  rowsBetween(collection: string, from: string, to: string): IDBKeyRange
  /** Times before this one. */
  before(time: number): IDBKeyRange
  /** The parts of an entry that lie outside its record. */
  bodies(session: number, lane: number, order: string): IDBKeyRange
}

/** Key of a record in `entries`. */
export type RecordKey = [session: number, lane: number, order: string]

/** The first order of a record, from its key. */
export function orderOf(key: IDBValidKey): string {
  return (key as RecordKey)[2]
}

/** The number of a draft's row among its chunks, which count from 0. */
export const draftRowPlace = -1

/** Key ranges of one IndexedDB. */
export function createKeyRanges(range: typeof IDBKeyRange): KeyRanges {
  // An array sorts after every number and string, so that it ends a range of compound keys.
  const under = (...prefix: IDBValidKey[]): IDBKeyRange => range.bound(prefix, [...prefix, []])
  return {
    lane: (session, lane, from, to, open) =>
      range.bound([session, lane, from], [session, lane, to], open === 'from', open === 'to'),
    session: (session) => under(session),
    runsUpTo: (session, stem, count) => range.bound([session, stem, 0], [session, stem, count]),
    numbered: (session) => range.bound([session, -Infinity], [session, Infinity]),
    draft: (session, draft) => under(session, draft),
    references: (hash) => under(hash),
    purges: () => under(purgesKey),
    journals: () => under(journalKey),
    rows: (collection, from, to) => range.bound([collection, from], [collection, to ?? []], false, true),
    // Operations on rows are under an empty name.
    allRows: () => range.lowerBound(['', []]),
    rowsBetween: (collection, from, to) => range.bound([collection, from], [collection, to]),
    before: (time) => range.upperBound(time, true),
    bodies: (session, lane, order) => under(session, lane, order),
  }
}
