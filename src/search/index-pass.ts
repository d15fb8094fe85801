import type { HotRow } from '../contract/rows.ts'
import type { SearchProgress } from '../contract/search.ts'
import type { Breather } from '../pacing/breather.ts'
import type { Index } from './create-index.ts'
import type { IndexedSession } from './index-blocks.ts'
import type { IndexKeeper } from './index-keeper.ts'
import type { SessionIndexer } from './index-session.ts'
import { leaveOutDamaged } from './leave-out-damaged.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { SearchSource } from './search-source.ts'
import { type SessionState, sessionState } from './session-state.ts'
import type { SessionTable } from './session-table.ts'

/** How many sessions are read together, if there is nothing of them in the index. */
const readAtOnce = 32
/** How many sessions are read before their messages are added to the index. */
const settledAtOnce = 64

/** An index that was loaded, or is empty. */
export interface OpenIndex {
  readonly index: Index
  readonly keeper: IndexKeeper
  readonly indexer: SessionIndexer
  /** The sessions of the loaded index. The first comparison with the store clears it. */
  readonly known: Map<string, IndexedSession>
}

export interface IndexPassParts {
  readonly source: SearchSource
  readonly opening: Promise<OpenIndex>
  readonly sessions: SessionTable
  readonly pending: PendingChanges
  readonly breathe: Breather
  readonly onProgress: (progress: SearchProgress) => void
}

/** Brings an index up to date, one pass at a time. */
export interface IndexPass {
  /** Indexes what is pending. Changes that come meanwhile are left to the next pass. */
  run(): Promise<void>
  /** Changes may have been missed: the next pass compares every session's version. */
  recheck(): void
  mustCompare(): boolean
  /** Whether the running pass has indexed everything and only tidies up. No search need wait for that. */
  isTidying(): boolean
}

export function createIndexPass({
  source,
  opening,
  sessions,
  pending,
  breathe,
  onProgress,
}: IndexPassParts): IndexPass {
  let mustCompare = true
  let isTidying = false

  async function compare(): Promise<void> {
    mustCompare = false
    try {
      const open = await opening
      const stored = await source.listSessions()
      addOutdated(stored, open.known, sessions, pending)
      forgetErased(stored, open, sessions)
    } catch (error) {
      mustCompare = true
      throw error
    }
  }

  async function indexPending({ indexer, keeper }: OpenIndex): Promise<void> {
    const changes = pending.take()
    const total = changes.size
    let indexed = 0
    let read = 0
    const taken = new Map<string, SessionState | undefined>()
    const settle = async (): Promise<void> => {
      await indexer.flush()
      for (const [key, state] of taken) {
        const before = sessions.get(key)
        if (before !== undefined && before.number !== state?.number) keeper.forget(before.number)
        if (state === undefined) sessions.delete(key)
        else sessions.set(state)
        if (state !== undefined) keeper.note(state)
        changes.delete(key)
      }
      taken.clear()
    }
    try {
      const unread = [...changes].filter(([, { isGap }]) => isGap).map(([key]) => key)
      for (const [key, change] of changes) {
        if (change.isGap && read++ % readAtOnce === 0) await indexer.prepare(unread.splice(0, readAtOnce))
        taken.set(key, await indexer.take(key, sessions.get(key), change).catch(leaveOutDamaged))
        onProgress({ indexed: ++indexed, total })
        if (taken.size < settledAtOnce) continue
        await settle()
        await keeper.saveSome(breathe)
      }
    } finally {
      await settle().finally(pending.endPass)
    }
  }

  return {
    run: async () => {
      const open = await opening
      if (mustCompare) await compare()
      await indexPending(open)
      isTidying = true
      await open.index.tidy(breathe).finally(() => (isTidying = false))
      open.keeper.saveSoon()
    },
    recheck: () => {
      mustCompare = true
    },
    mustCompare: () => mustCompare,
    isTidying: () => isTidying,
  }
}

/** Adds the sessions whose indexed version is not the stored one, the most recently changed first. */
function addOutdated(
  stored: readonly HotRow[],
  known: Map<string, IndexedSession>,
  sessions: SessionTable,
  { addMissed }: PendingChanges,
): void {
  const rows = stored.toSorted((a, b) => b.updatedAt - a.updatedAt)
  const keys = new Set(rows.map(({ key }) => key))
  for (const hot of rows) {
    const indexed = sessions.get(hot.key) ?? known.get(hot.key)
    if (indexed !== undefined) sessions.set(sessionState(indexed, hot))
    if (indexed?.number !== hot.session || indexed.version !== hot.version) addMissed(hot.key)
  }
  for (const [key, indexed] of known) {
    if (keys.has(key)) continue
    sessions.set({ ...indexed, isHidden: true })
    addMissed(key)
  }
  for (const key of sessions.keys()) if (!keys.has(key)) addMissed(key)
  known.clear()
}

/**
 * Forgets sessions of which only messages are in the index: it was stored before they were completely indexed, and they
 * were erased before the next pass, which would have completed them.
 */
function forgetErased(stored: readonly HotRow[], { index, indexer, keeper }: OpenIndex, sessions: SessionTable): void {
  const numbers = new Set(stored.map(({ session }) => session))
  for (const key of sessions.keys()) numbers.add(sessions.get(key)!.number)
  for (const number of index.sessions()) {
    if (numbers.has(number)) continue
    indexer.forget(number)
    keeper.forget(number)
  }
}
