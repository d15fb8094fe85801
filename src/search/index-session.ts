import { controlLane } from '../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import { rowMessage } from '../domain/arrive.ts'
import { isBranchDeleted } from '../domain/line.ts'
import type { Breather } from '../pacing/breather.ts'
import type { Index } from './create-index.ts'
import { readRows } from './read-rows.ts'
import type { SearchSource } from './search-source.ts'
import { searchText } from './search-text.ts'
import { sessionLines, showRows } from './session-lines.ts'
import { type SessionState, sessionState } from './session-state.ts'
import type { SearchDocument } from './segment.ts'

/** Commits of a session that were heard of and not indexed yet. */
export interface HeardChange {
  /** Of the last of them; 0 when only a look will tell. */
  readonly version: number
  /** The rows they appended, orders by branch. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether they did more than that. */
  readonly reload: boolean
  /** Whether something in between was missed. */
  readonly isGap: boolean
}

/** Texts are put into the index together until there are so many of them or so much of it: a few milliseconds of work. */
const batchCount = 256
const batchLength = 128 * 1024

/** Takes what a session shows into an index, and out of it what it no longer shows. */
export interface SessionIndexer {
  /** @returns what is known of the session now, once {@link flush} is done; `undefined` when there is none of this key */
  take(key: string, state: SessionState | undefined, change: HeardChange): Promise<SessionState | undefined>
  /** Puts in what still waits for others. */
  flush(): Promise<void>
}

export function createSessionIndexer(source: SearchSource, index: Index, breathe: Breather): SessionIndexer {
  let batch: SearchDocument[] = []
  let length = 0

  async function flush(): Promise<void> {
    // What fails stays, so that nobody takes it for indexed.
    if (batch.length > 0) await index.add(batch, breathe)
    batch = []
    length = 0
  }

  async function add(row: StoredEntry, session: number): Promise<void> {
    const text = searchText(rowMessage(row))
    if (text === '') return
    batch.push({ session, branch: row.branch, order: row.order, edit: row.edit?.id ?? '', at: row.at, role: rowMessage(row)?.role ?? '', text })
    length += text.length
    if (batch.length < batchCount && length < batchLength) return
    await flush()
    await breathe()
  }

  function forget(session: number): void {
    for (const place of index.find(session).values()) index.remove(place)
    index.scrub(session)
  }

  /** Everything anew; what is in already stays. */
  async function takeWhole(rows: SessionRows): Promise<SessionState> {
    const { hot, cold } = rows
    const lines = sessionLines(rows)
    const left = new Map(index.find(hot.session))
    for (const lane of Object.values(cold.lanes)) {
      for await (const page of readRows(source, hot.session, lane)) {
        const shownRow = await showRows(source, rows, lines, page)
        for (const stored of page) {
          const row = stored.type === 'message' ? shownRow(stored)?.row : undefined
          if (row === undefined) continue
          const known = left.get(row.order)
          if (known !== undefined && known.in.segment.documents.edits[known.document] === (row.edit?.id ?? '')) left.delete(row.order)
          else await add(row, hot.session)
        }
        await breathe()
      }
    }
    for (const place of left.values()) index.remove(place)
    if (Object.keys(cold.purged).length > 0) index.scrub(hot.session)
    const controls = await source.readRange({ session: hot.session, lane: controlLane, from: '', to: '~', reverse: true, limit: 1 })
    return sessionState({ key: hot.key, number: hot.session, version: hot.version, entries: hot.entries, lastControl: controls.entries.at(-1)?.order ?? '' }, hot)
  }

  /** These rows only. */
  async function takeRows(rows: SessionRows, places: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    const { hot, cold } = rows
    const lines = sessionLines(rows)
    for (const [branch, orders] of places) {
      const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
      if (lane === undefined) continue
      const known = index.find(hot.session, orders)
      const sorted = [...orders].sort()
      for await (const page of readRows(source, hot.session, lane, sorted[0], sorted.at(-1))) {
        const wanted = page.filter(({ order }) => orders.has(order))
        const shownRow = await showRows(source, rows, lines, wanted)
        for (const stored of wanted) {
          const place = known.get(stored.order)
          const row = stored.type === 'message' ? shownRow(stored)?.row : undefined
          const isIn = row !== undefined && place?.in.segment.documents.edits[place.document] === (row.edit?.id ?? '')
          if (place !== undefined && !isIn) index.remove(place)
          if (row !== undefined && !isIn) await add(row, hot.session)
        }
      }
    }
  }

  /**
   * Finds out what the control entries that were not seen yet do to what is shown: the rows to be read again, or `undefined` when it takes
   * the whole session to tell.
   */
  async function readControls({ hot, cold }: SessionRows, state: SessionState, change: HeardChange): Promise<{ readonly rows: HeardChange['rows']; readonly last: string } | undefined> {
    const rows = new Map([...change.rows].map(([branch, orders]) => [branch, new Set(orders)]))
    let count = state.entries + [...rows.values()].reduce((sum, { size }) => sum + size, 0)
    let last = state.lastControl
    const mayShowMore = cold.cuts.length > 0 || Object.keys(cold.branches).some((branch) => isBranchDeleted(cold, branch))
    for await (const page of readRows(source, hot.session, controlLane, state.lastControl)) {
      for (const entry of page) {
        if (entry.order <= state.lastControl) continue
        count++
        last = entry.order
        if (entry.type === 'edit') {
          const { branch, order } = entry.data as { readonly branch: string; readonly order: string }
          rows.set(branch, (rows.get(branch) ?? new Set()).add(order))
        } else if (entry.type === 'branch' ? mayShowMore : !isHarmless(entry)) return undefined
      }
    }
    // Entries that came in between others, or went.
    return count === hot.entries ? { rows, last } : undefined
  }

  return {
    flush,
    take: async (key, state, change) => {
      const rows = await source.loadSession(key)
      if (state !== undefined && rows?.hot.session !== state.number) forget(state.number)
      if (rows === undefined) return undefined
      const { hot } = rows
      if (state === undefined || hot.session !== state.number || change.isGap) return takeWhole(rows)
      if (!change.reload) {
        await takeRows(rows, change.rows)
        const added = [...change.rows.values()].reduce((sum, { size }) => sum + size, 0)
        return sessionState({ ...state, version: change.version, entries: state.entries + added }, hot)
      }
      // What happened to one copy happened to the one that is shown.
      const controls = rows.cold.hasCopies === true ? undefined : await readControls(rows, state, change)
      if (controls === undefined) return takeWhole(rows)
      await takeRows(rows, controls.rows)
      return sessionState({ ...state, version: hot.version, entries: hot.entries, lastControl: controls.last }, hot)
    },
  }
}

/** Control entries that change nothing of which messages some line shows. A tombstone hides all of a session, which its row says. */
const harmless: ReadonlySet<string> = new Set(['head', 'compaction', 'checkpoint', 'delete', 'undelete'])

function isHarmless({ type, data }: StoredEntry): boolean {
  return harmless.has(type) || (type === 'meta' && (data['target'] as { readonly branch?: unknown } | undefined)?.branch === undefined)
}
