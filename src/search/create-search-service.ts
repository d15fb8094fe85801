import type { ChangeSink, SessionChange } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import type { KnownVersions, SearchHit, SearchProgress, SearchRequest } from '../contract/search.ts'
import { answerQuery } from './answer-query.ts'
import { type Breather, createBreather } from '../pacing/breather.ts'
import { createIndex } from './create-index.ts'
import type { IndexBlocks } from './index-blocks.ts'
import { createIndexKeeper } from './index-keeper.ts'
import { createSessionIndexer, type HeardChange } from './index-session.ts'
import { leaveOutDamaged } from './leave-out-damaged.ts'
import { parseQuery } from './parse-query.ts'
import type { SearchSource } from './search-source.ts'
import { type SessionState, sessionState } from './session-state.ts'

/** Searches the messages of a store, and keeps up with it. */
export interface SearchService {
  /**
   * Hits, best first. Waits until everything that is known to have changed is indexed, and tells how far that is.
   *
   * @throws StorageClosed, and what reading the store throws
   */
  search(request: SearchRequest, onProgress?: (progress: SearchProgress) => void): Promise<readonly SearchHit[]>
  /** A session changed. */
  readonly hear: ChangeSink
  /** Changes may have been missed: compares what is indexed with what is stored. */
  recheck(): void
  /** Resolves when nothing waits to be indexed or stored. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface SearchServiceOptions {
  readonly source: SearchSource
  /** Where the index is kept. Absent: in memory only. */
  readonly blocks?: IndexBlocks
  /** Whether it is this service that writes the blocks. */
  readonly mayWrite?: boolean
}

/** How long changes that are more than new messages wait for others of the same session, as they often come together. */
const gatherMs = 25
/** How long a change that the asker knows of may be on its way. */
const onItsWayMs = 40
/** An answer that meets what has changed meanwhile is made again, so often. */
const rounds = 3

/** Those who wait are told so often how far the index is. */
const progressMs = 100

/** Sessions whose messages are put in together. */
const settledAtOnce = 64

const unknownChange: HeardChange = { version: 0, rows: new Map(), reload: true, isGap: true }

/** Starts to index what is new, and answers when that is done. */
export function createSearchService({ source, blocks, mayWrite = false }: SearchServiceOptions): SearchService {
  const breather = createBreather()
  /** Ends, at its next breath, what a closed search need not finish. */
  const breathe: Breather = () => {
    if (isClosed) throw closedError()
    return breather()
  }
  const sessions = new Map<string, SessionState>()
  let pending = new Map<string, HeardChange>()
  /** What the pass that runs has taken up and not settled yet. */
  let current = new Map<string, HeardChange>()
  let isClosed = false
  let mustCompare = true
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The pass that runs, and the one that follows it. */
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  /** Whether the pass that runs has indexed everything and only tidies up, for which no search need wait. */
  let isTidying = false
  /** Those who wait for the pass that runs. */
  const waiting = new Set<(progress: SearchProgress) => void>()
  let toldAt = 0

  function tell(progress: SearchProgress): void {
    if (waiting.size === 0 || performance.now() - toldAt < progressMs) return
    toldAt = performance.now()
    for (const onProgress of waiting) onProgress(progress)
  }

  // Loaded to the end even when it is closed meanwhile: an index that seems empty would be stored as one.
  const opening = (blocks?.load(breather) ?? Promise.resolve(undefined))
    // What can't be read can be made anew.
    .catch(() => undefined)
    .then((stored) => {
      const index = createIndex(stored)
      const keeper = createIndexKeeper(index, mayWrite ? blocks : undefined, stored)
      return { index, keeper, indexer: createSessionIndexer(source, index, breathe), known: new Map(stored?.sessions.map((one) => [one.key, one])) }
    })

  /** Finds the sessions whose version is not the indexed one. */
  async function compare(): Promise<void> {
    mustCompare = false
    const { known } = await opening
    const rows = (await source.listSessions()).toSorted((a, b) => b.updatedAt - a.updatedAt)
    const keys = new Set(rows.map(({ key }) => key))
    for (const hot of rows) {
      const indexed = sessions.get(hot.key) ?? known.get(hot.key)
      if (indexed !== undefined) sessions.set(hot.key, sessionState(indexed, hot))
      if (indexed?.number !== hot.session || indexed.version !== hot.version) missed(hot.key)
    }
    for (const [key, indexed] of known) {
      if (keys.has(key)) continue
      sessions.set(key, { ...indexed, isHidden: true })
      missed(key)
    }
    for (const key of sessions.keys()) if (!keys.has(key)) missed(key)
    known.clear()
  }

  const missed = (key: string): void => void pending.set(key, unknownChange)

  /** Indexes what waits. What comes meanwhile is left to the next pass. */
  async function pass(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const { index, indexer, keeper } = await opening
    if (mustCompare) {
      try {
        await compare()
      } catch (error) {
        mustCompare = true
        throw error
      }
    }
    const changes = (current = pending)
    pending = new Map()
    const total = changes.size
    let indexed = 0
    const taken = new Map<string, SessionState | undefined>()
    const settle = async (): Promise<void> => {
      await indexer.flush()
      for (const [key, state] of taken) {
        const before = sessions.get(key)
        if (before !== undefined && before.number !== state?.number) keeper.forget(before.number)
        if (state === undefined) sessions.delete(key)
        else sessions.set(key, state)
        if (state !== undefined) keeper.note(state)
        changes.delete(key)
      }
      taken.clear()
    }
    try {
      for (const [key, change] of changes) {
        taken.set(key, await indexer.take(key, sessions.get(key), change).catch(leaveOutDamaged))
        tell({ indexed: ++indexed, total })
        if (taken.size < settledAtOnce) continue
        await settle()
        await keeper.saveSome(breathe)
      }
    } finally {
      try {
        await settle()
      } finally {
        // What could not be read is looked at again, whole.
        for (const key of changes.keys()) missed(key)
        current = new Map()
      }
    }
    isTidying = true
    await index.tidy(breathe).finally(() => (isTidying = false))
    keeper.saveSoon()
  }

  /** Resolves when everything that waits now is indexed. */
  function run(): Promise<void> {
    if (isClosed) return Promise.reject(closedError())
    if (running === undefined) {
      running = pass().finally(() => (running = undefined))
      return running
    }
    next ??= running.catch(() => undefined).then(() => {
      next = undefined
      return run()
    })
    return next
  }

  /** Begins by itself. An error is told to whoever searches next. */
  const begin = (): void => void run().catch(() => undefined)

  function hear(change: SessionChange): void {
    const waiting = pending.get(change.key)
    const version = heardVersion(change.key)
    const isGone = change.listing === undefined
    if (!isGone && version !== undefined && change.version <= version) return
    const isNext = !isGone && change.version === (version ?? NaN) + 1
    if (!isNext || waiting?.isGap) {
      pending.set(change.key, unknownChange)
    } else {
      const rows = new Map([...(waiting?.rows ?? [])].map(([branch, orders]) => [branch, new Set(orders)]))
      for (const { branch, order } of change.rows) rows.set(branch, (rows.get(branch) ?? new Set()).add(order))
      pending.set(change.key, { version: change.version, rows, reload: change.reload || (waiting?.reload ?? false), isGap: false })
    }
    if (!change.reload) begin()
    else timer ??= setTimeout(begin, gatherMs)
  }

  /** The newest version of a session that is indexed or waits for it. */
  const heardVersion = (key: string): number | undefined => pending.get(key)?.version ?? current.get(key)?.version ?? sessions.get(key)?.version
  const isHeard = (key: string, version: number): boolean => pending.get(key)?.isGap === true || (heardVersion(key) ?? 0) >= version

  /** Waits a little for changes that the asker knows of, then looks for itself. */
  async function catchUp(known: KnownVersions): Promise<void> {
    if (!isTidying) await running?.catch(() => undefined)
    const until = performance.now() + onItsWayMs
    while (performance.now() < until && !known.every(([key, version]) => isHeard(key, version))) await new Promise((resolve) => setTimeout(resolve, 4))
    for (const [key, version] of known) if (!isHeard(key, version)) missed(key)
    if (pending.size > 0 || mustCompare || (running !== undefined && !isTidying)) await run()
  }

  async function search({ query, filter, known }: SearchRequest, onProgress?: (progress: SearchProgress) => void): Promise<readonly SearchHit[]> {
    const clauses = parseQuery(query, filter.typos === true)
    if (isClosed) throw closedError()
    if (clauses.length === 0) return []
    if (onProgress !== undefined) waiting.add(onProgress)
    await catchUp(known).finally(() => onProgress && waiting.delete(onProgress))
    const { index } = await opening
    for (let round = 1; ; round++) {
      const { hits, stale } = await answerQuery({ source, segments: index.segments(), sessions, clauses, filter, breathe: createBreather() })
      if (stale.length === 0 || round === rounds) return hits
      for (const key of stale) missed(key)
      await run()
    }
  }

  begin()
  return {
    search,
    hear: (change) => {
      if (change.type === 'session') hear(change)
    },
    recheck: () => {
      mustCompare = true
      begin()
    },
    idle: async () => {
      const { keeper } = await opening
      while (running !== undefined || pending.size > 0 || mustCompare) await run()
      await keeper.save()
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      await running?.catch(() => undefined)
      const { keeper } = await opening
      await keeper.close()
      blocks?.close()
    },
  }
}

const closedError = (): SessionError => new SessionError('StorageClosed', 'The search was closed before this call. Open the store again.')
