import type { ChangeSink } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import type { KnownVersions, SearchHit, SearchProgress, SearchRequest } from '../contract/search.ts'
import { type Breather, createBreather } from '../pacing/breather.ts'
import { answerQuery } from './answer-query.ts'
import { createIndex } from './create-index.ts'
import type { IndexBlocks } from './index-blocks.ts'
import { createIndexKeeper } from './index-keeper.ts'
import { createIndexPass, type OpenIndex } from './index-pass.ts'
import { createSessionIndexer } from './index-session.ts'
import { parseQuery } from './parse-query.ts'
import { createPendingChanges } from './pending-changes.ts'
import { createPassRunner } from './run-passes.ts'
import type { SearchSource } from './search-source.ts'
import { createSearchWaiters } from './search-waiters.ts'
import { SessionTable } from './session-table.ts'

/** Searches the messages of a store, and follows its changes. */
export interface SearchService {
  /**
   * Hits, best first. Waits until all known changes are indexed, and reports how far that is.
   *
   * @throws StorageClosed, and what reading the store throws
   */
  search(request: SearchRequest, onProgress?: (progress: SearchProgress) => void): Promise<readonly SearchHit[]>
  /** A session changed. */
  readonly receive: ChangeSink
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

/** Changes other than new messages wait this long for further ones of the same session, as they often come together. */
const gatherMs = 25
/** How long the announcement of a change may take to arrive when the caller already knows of the change. */
const arrivalMs = 40
/** How often a query is answered before a hit that has changed meanwhile is accepted. */
const maxRounds = 3

/** Starts to index the store, and answers searches once that is done. */
export function createSearchService({ source, blocks, mayWrite = false }: SearchServiceOptions): SearchService {
  const breather = createBreather()
  /** Ends the work of a closed search at its next breath. */
  const breathe: Breather = () => {
    if (isClosed) throw closedError()
    return breather()
  }
  const sessions = new SessionTable()
  const pending = createPendingChanges((key) => sessions.get(key))
  const waiters = createSearchWaiters()
  let isClosed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const opening = openIndex(source, blocks, mayWrite, breather, breathe)
  const pass = createIndexPass({ source, opening, sessions, pending, breathe, onProgress: waiters.report })
  const passNow = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    return pass.run()
  }
  const { run, running } = createPassRunner(passNow, () => (isClosed ? closedError() : undefined))

  /** Starts a pass that nobody waits for. The next search gets its error. */
  const begin = (): void => void run().catch(() => undefined)

  /** Waits a little for the announcements of changes that the caller knows of, then reads those sessions itself. */
  async function catchUp(known: KnownVersions): Promise<void> {
    if (!pass.isTidying()) await running()?.catch(() => undefined)
    const until = performance.now() + arrivalMs
    while (performance.now() < until && !known.every((one) => pending.isKnown(one)))
      await new Promise((resolve) => setTimeout(resolve, 4))
    for (const one of known) if (!pending.isKnown(one)) pending.addMissed(one[0])
    if (!pending.isEmpty() || pass.mustCompare() || (running() !== undefined && !pass.isTidying())) await run()
  }

  async function search(
    { query, filter, known }: SearchRequest,
    onProgress?: (progress: SearchProgress) => void,
  ): Promise<readonly SearchHit[]> {
    const clauses = parseQuery(query, filter.typos === true)
    if (isClosed) throw closedError()
    if (clauses.length === 0) return []
    if (onProgress !== undefined) waiters.add(onProgress)
    await catchUp(known).finally(() => onProgress && waiters.remove(onProgress))
    const { index } = await opening
    for (let round = 1; ; round++) {
      const { hits, stale } = await answerQuery({
        source,
        segments: index.segments(),
        sessions,
        clauses,
        filter,
        breathe: createBreather(),
      })
      if (stale.length === 0 || round === maxRounds) return hits
      for (const key of stale) pending.addMissed(key)
      await run()
    }
  }

  begin()
  return {
    search,
    receive: (change) => {
      if (change.type !== 'session' || !pending.add(change)) return
      if (change.reload) timer ??= setTimeout(begin, gatherMs)
      else begin()
    },
    recheck: () => {
      pass.recheck()
      begin()
    },
    idle: async () => {
      const { keeper } = await opening
      while (running() !== undefined || !pending.isEmpty() || pass.mustCompare()) await run()
      await keeper.save()
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      await running()?.catch(() => undefined)
      const { keeper } = await opening
      await keeper.close()
      blocks?.close()
    },
  }
}

/**
 * Loads the index. It does so to the end even when the search is closed meanwhile: an index that only seems empty would
 * be stored as one.
 */
async function openIndex(
  source: SearchSource,
  blocks: IndexBlocks | undefined,
  mayWrite: boolean,
  breather: Breather,
  breathe: Breather,
): Promise<OpenIndex> {
  // An index that can't be read is rebuilt.
  const stored = await blocks?.load(breather).catch(() => undefined)
  const index = createIndex(stored)
  const keeper = createIndexKeeper(index, mayWrite ? blocks : undefined, stored)
  return {
    index,
    keeper,
    indexer: createSessionIndexer(source, index, breathe),
    known: new Map(stored?.sessions.map((one) => [one.key, one])),
  }
}

const closedError = (): SessionError =>
  new SessionError('StorageClosed', 'The search was closed before this call. Open the store again.')
