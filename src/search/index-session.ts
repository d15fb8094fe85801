import type { SessionRows } from '../contract/rows.ts'
import { covers } from '../domain/version-vector.ts'
import { knownVector } from '../domain/work.ts'
import type { Breather } from '../pacing/breather.ts'
import type { Index } from './create-index.ts'
import { createDocumentBatch } from './document-batch.ts'
import type { PendingChange } from './pending-changes.ts'
import { lastControl, readAheadSmall } from './read-ahead-small.ts'
import { readControls } from './read-controls.ts'
import { readRows } from './read-rows.ts'
import type { SearchSource } from './search-source.ts'
import { sessionLines, showRows } from './session-lines.ts'
import { type SessionState, sessionState } from './session-state.ts'

/** Adds the messages that a session shows to an index, and removes those that it no longer shows. */
export interface SessionIndexer {
  /** Reads sessions that are taken next, if they are small. */
  prepare(keys: readonly string[]): Promise<void>
  /**
   * @returns the state of the session that holds once {@link flush} is done; `undefined` when there is no session with
   *   this key
   */
  take(key: string, state: SessionState | undefined, change: PendingChange): Promise<SessionState | undefined>
  /** Puts in the messages that still wait for a full batch. */
  flush(): Promise<void>
  /** Takes out a session that was erased, with its words. */
  forget(session: number): void
}

export function createSessionIndexer(given: SearchSource, index: Index, breathe: Breather): SessionIndexer {
  const source = readAheadSmall(given)
  const { add, flush } = createDocumentBatch(index, breathe)

  function forget(session: number): void {
    for (const place of index.find(session).values()) index.remove(place)
    index.scrub(session)
  }

  /** Reads the whole session. Messages that are already in the index stay there. */
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
          if (known !== undefined && known.in.segment.documents.edits[known.document] === (row.edit?.id ?? ''))
            left.delete(row.order)
          else await add(row, hot.session)
        }
        await breathe()
      }
    }
    for (const place of left.values()) index.remove(place)
    if (Object.keys(cold.purged).length > 0) index.scrub(hot.session)
    const [last] = (await source.readRange(lastControl(hot.session))).entries
    // One that came while the rows were read may have erased some of them: then all is read again.
    const isKnown = last !== undefined && covers(knownVector(rows), last.w, last.s)
    return sessionState(
      {
        key: hot.key,
        number: hot.session,
        version: hot.version,
        entries: hot.entries,
        lastControl: isKnown ? last.order : '',
      },
      hot,
    )
  }

  /** Reads only these rows. */
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

  return {
    prepare: source.prepare,
    flush,
    forget,
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
      // With copies, a change of one copy may change the one that is shown.
      const controls = rows.cold.hasCopies === true ? undefined : await readControls(source, rows, state, change)
      if (controls === undefined) return takeWhole(rows)
      await takeRows(rows, controls.rows)
      return sessionState({ ...state, version: hot.version, entries: hot.entries, lastControl: controls.last }, hot)
    },
  }
}
