import type { StorageBackend } from '../../src/contract/backend.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import type { EditMark, HotRow, SessionRows, StoredEntry } from '../../src/contract/rows.ts'
import type { LaneEntries, SessionWrite, WriteBatch } from '../../src/contract/write-batch.ts'
import { emptyRows } from '../../src/domain/empty-rows.ts'
import { clockKey } from '../../src/domain/order.ts'

const writer = 4_503_599_627_370_497
const start = 1_750_000_000_000

/** The order of the n-th entry of a lane. */
export function orderAt(n: number): string {
  return clockKey({ hp: start + n, hc: 0 }, writer)
}

/** The n-th entry of a lane. Backends do not look into entries, so that the checksum is made up. */
export function entryAt(n: number, more: Partial<StoredEntry> = {}): StoredEntry {
  const data: JsonObject = more.data ?? { message: { role: 'user', content: `entry ${n}` } }
  return {
    w: writer,
    s: n,
    branch: '',
    type: 'message',
    data,
    at: start + n,
    clock: { hp: start + n, hc: 0 },
    order: orderAt(n),
    crc: 1_000_003 * (n + 1),
    bytes: JSON.stringify(data).length,
    ...more,
  }
}

/** Entries `from` to `to`, both inclusive. */
export function entriesAt(from: number, to: number): StoredEntry[] {
  return Array.from({ length: to - from + 1 }, (_, i) => entryAt(from + i))
}

/** An edit made at the n-th tick. */
export function editAt(n: number, value: JsonObject | null): EditMark {
  return { order: orderAt(n), id: `edit.${n}`, value }
}

export type Change = Partial<Omit<SessionWrite, 'hot' | 'cold'>>

/** A session as a planner sees it: writes it makes follow each other's versions. */
export interface PlannedSession {
  readonly key: string
  readonly session: number
  /** The version of the last write planned. */
  readonly version: () => number
  /** A write on top of the last one planned. */
  plan(change?: Change): SessionWrite
  /** The rows the last write stored. */
  rows(): SessionRows
  /** Plans and commits. Throws when the backend finds it stale. */
  write(backend: StorageBackend, change?: Change): Promise<void>
}

export function planSession(key: string, session: number): PlannedSession {
  const empty = emptyRows(key, session)
  let hot: HotRow = empty.hot
  const plan = (change: Change = {}): SessionWrite => {
    hot = { ...hot, version: hot.version + 1, updatedAt: start + hot.version + 1 }
    return {
      hot,
      append: [],
      insert: [],
      edits: [],
      erase: [],
      operations: [],
      aliases: { add: [], drop: [] },
      drafts: [],
      ...change,
      ...(hot.version === 1 ? { cold: empty.cold } : {}),
    }
  }
  return {
    key,
    session,
    version: () => hot.version,
    plan,
    rows: () => ({ hot, cold: empty.cold }),
    write: async (backend, change) => {
      const outcome = await backend.commit(batchOf(plan(change)), 'relaxed')
      if (!outcome.stored) throw new Error(`stale: ${outcome.stale.join()}`)
    },
  }
}

export function batchOf(...sessions: SessionWrite[]): WriteBatch {
  return { sessions, erase: [] }
}

export function inLane(lane: number, entries: readonly StoredEntry[]): LaneEntries[] {
  return [{ lane, entries }]
}

/** Everything in a lane, and the keys of what can't be read. */
export async function readLane(
  backend: StorageBackend,
  session: number,
  lane = 0,
): Promise<{ readonly entries: readonly StoredEntry[]; readonly unreadable: readonly string[] }> {
  const { entries, unreadable } = await backend.readRange({ session, lane, from: '', to: '~' })
  return { entries, unreadable }
}

/** The sequence numbers of everything in a lane. */
export async function numbersIn(backend: StorageBackend, session: number, lane = 0): Promise<number[]> {
  const { entries } = await readLane(backend, session, lane)
  return entries.map(({ s }) => s)
}
