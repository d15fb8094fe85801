import type { CoreBackend } from '../contract/backend.ts'
import type { ChangeSink, SessionChange } from '../contract/change.ts'
import type { Encryption } from '../contract/encryption.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import type { KnownVersions, SearchHit } from '../contract/search.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { SearchOptions, SessionClient } from './client-contract.ts'
import type { StoreMode } from './open-options.ts'
import type { OpenedStore, OpeningAttempt } from './opening/ladder.ts'
import { storageOfMode } from './opening/storage-of-mode.ts'
import { unlessAborted } from './upkeep/unless-aborted.ts'
import type { WorkerLike } from './worker/connect-worker.ts'
import { jobWorkerLoaders } from './worker/load-job-worker.ts'
import { type SearchWorker, startSearchWorker } from './worker/search-worker.ts'

/** Searches the messages of a client. */
export interface ClientSearch extends Pick<SessionClient, 'search'> {
  close(): Promise<void>
}

/** The store to search. */
export interface SearchPlace {
  /** Name of the database. */
  readonly name: string
  readonly mode: StoreMode
  readonly store: Pick<SessionStore, 'resolveSessionKey'>
  readonly fold?: OpenedStore['fold']
  /** The backend of the store, if it is in this realm. */
  readonly backend?: CoreBackend | undefined
  readonly epoch?: string | undefined
  readonly attempt?: Pick<OpeningAttempt, 'encryption'>
  /** `ending` fires when the client is closed. */
  readonly feed: { subscribe(listener: ChangeSink): () => void; readonly ending?: AbortSignal }
}

type Searcher = Pick<SearchWorker, 'search' | 'recheck' | 'close'> & Partial<Pick<SearchWorker, 'isLost'>>

/** How long a worker may take to start, as for the session worker. */
const startMs = 4000
/** How long a worker is kept for the next search. After that its index has to be loaded again. */
const idleMs = 120_000

/**
 * Searches in a worker of its own if the store is in a worker; otherwise, and if that worker can't start, in the page.
 */
export function createSearch(place: SearchPlace, makeWorker: () => WorkerLike): ClientSearch {
  const loadInPage = async (): Promise<Searcher> =>
    (await import('../in-page/open-search-in-page.ts')).openSearchInPage(place)
  return createSearchWith(place, async () => (await startWorker(place, makeWorker)) ?? loadInPage())
}

/** @param open - opens a searcher; called again after it was lost, or was not needed for a while */
export function createSearchWith(place: SearchPlace, open: () => Promise<Searcher>): ClientSearch {
  /** What the searcher was opened with. */
  let openedWith: Encryption | undefined
  const searcher = holdSearcher(() => {
    openedWith = place.attempt?.encryption
    return open()
  })
  let running = 0
  let closing: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Newest versions that were not part of an answered search yet. */
  const known = new Map<string, KnownVersions[number]>()

  const unsubscribe = place.feed.subscribe((change) => {
    if (change.type === 'session') noteVersion(known, change)
    // The last writes of the worker that died were not announced.
    else if (change.type === 'notice' && change.name === 'workerRestarted') searcher.recheck()
  })

  async function run(query: string, { signal, onProgress, ...filter }: SearchOptions): Promise<readonly SearchHit[]> {
    running++
    clearTimeout(timer)
    const versions = [...known.values()]
    try {
      await place.fold?.()
      const request = { query, filter: await resolved(place.store, filter), known: versions }
      // With the old one it could not open keys that are drawn from now on. A store that is made plain needs none. The
      // end of a searcher fails the other searches.
      const encryption = place.attempt?.encryption
      if (running === 1 && encryption !== undefined && encryption !== openedWith) await searcher.end()
      // A caller that has given up gets no more progress, and an error of its callback must not affect the index.
      const hits = await searcher.search(
        request,
        onProgress && ((progress) => queueMicrotask(() => signal?.aborted !== true && onProgress(progress))),
      )
      for (const one of versions) if (known.get(one[0]) === one) known.delete(one[0])
      return hits
    } finally {
      running--
      if (running === 0 && closing === undefined && storageOfMode[place.mode] === 'indexeddb')
        timer = setTimeout(() => void searcher.end(), idleMs)
    }
  }

  return {
    search: async (query, options = {}) => {
      checkSearch(query, options)
      if (closing !== undefined || place.feed.ending?.aborted === true)
        throw new SessionError('StorageClosed', 'search was called after the store was closed. Open it again.')
      // A search that is cancelled before it begins is not sent.
      return unlessAborted(
        options.signal?.aborted === true ? Promise.resolve([]) : run(query, options),
        options.signal,
        'The search',
      )
    },
    close: () => {
      unsubscribe()
      clearTimeout(timer)
      return (closing ??= searcher.close())
    },
  }
}

/** One searcher at a time, which is opened for the first search after it was lost, replaced or not needed. */
function holdSearcher(
  open: () => Promise<Searcher>,
): Pick<Searcher, 'search' | 'recheck'> & Record<'end' | 'close', () => Promise<void>> {
  let opened: Promise<Searcher> | undefined
  let isClosing = false

  async function end(): Promise<void> {
    const ending = opened
    opened = undefined
    await (await ending?.catch(() => undefined))?.close()
  }

  async function find(): Promise<{ readonly one: Searcher; readonly opening: Promise<Searcher> }> {
    // Nobody would close a searcher that is opened now.
    if (isClosing) throw new SessionError('StorageClosed', 'The store was closed while it was searched. Open it again.')
    const opening = (opened ??= open())
    const one = await opening.catch((error: unknown) => {
      replace(opening)
      throw error
    })
    if (one.isLost?.() !== true) return { one, opening }
    replace(opening)
    return find()
  }

  /** The next search opens another searcher, unless one that failed at the same time has opened it already. */
  function replace(failed: Promise<Searcher>): void {
    if (opened === failed) opened = undefined
  }

  const search: Searcher['search'] = async (request, onProgress) => {
    const { one, opening } = await find()
    try {
      return await one.search(request, onProgress)
    } catch (error) {
      if (isClosing) throw error
      // The database was lost, and filled again since: only a searcher that opens it anew can read it.
      if (isSessionError(error, 'DataLoss')) {
        if (opened === opening) await end()
      } else if (
        !isSessionError(error, 'WorkerLost') &&
        !(isSessionError(error, 'StorageClosed') && opened !== opening)
      )
        throw error
      return (await find()).one.search(request, onProgress)
    }
  }

  return {
    search,
    recheck: () =>
      void opened?.then(
        (one) => one.recheck(),
        () => undefined,
      ),
    end,
    close: () => {
      isClosing = true
      return end()
    },
  }
}

/** The same filter with the key that an alias stands for. */
async function resolved<Filter extends Pick<SearchOptions, 'sessionKey'>>(
  store: SearchPlace['store'],
  filter: Filter,
): Promise<Filter> {
  const { sessionKey } = filter
  return sessionKey === undefined ? filter : { ...filter, sessionKey: await store.resolveSessionKey(sessionKey) }
}

function noteVersion(
  known: Map<string, KnownVersions[number]>,
  { key, version, session, listing }: SessionChange,
): void {
  if (listing !== undefined) known.set(key, [key, version, session])
  // A session that was begun anew may be heard of before the end of the one that had its key.
  else if (known.get(key)?.[2] === session) known.delete(key)
}

/** A worker of the same kind as the store's; `undefined` if none can be started. */
async function startWorker(
  { name, mode, attempt }: SearchPlace,
  makeWorker: () => WorkerLike,
): Promise<SearchWorker | undefined> {
  for (const load of jobWorkerLoaders({ name, mode, attempt }, makeWorker, 'search')) {
    try {
      return await startSearchWorker((await load())(), name, startMs, attempt?.encryption)
    } catch {
      // Blocked, missing or broken: the next candidate needs less.
    }
  }
  return undefined
}

const texts = ['sessionKey', 'agentId', 'userId', 'role'] as const
const times = ['from', 'to'] as const

function checkSearch(query: unknown, options: SearchOptions): void {
  const refuse = (what: string, found: unknown): never => {
    throw new SessionError(
      'InvalidInput',
      `search: ${what}, got ${typeof found === 'object' ? JSON.stringify(found) : String(found)}.`,
    )
  }
  if (typeof query !== 'string') refuse('the query must be a string', query)
  if (typeof options !== 'object' || options === null) refuse('the options must be an object', options)
  for (const name of texts)
    if (options[name] !== undefined && typeof options[name] !== 'string')
      refuse(`${name} must be a string`, options[name])
  for (const name of times)
    if (options[name] !== undefined && !Number.isFinite(options[name]))
      refuse(`${name} must be a time in milliseconds`, options[name])
  if (options.onProgress !== undefined && typeof options.onProgress !== 'function')
    refuse('onProgress must be a function', options.onProgress)
  const { limit = 20, offset = 0, typos = false } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    refuse('limit must be a whole number from 1 to 1,000', limit)
  if (!Number.isInteger(offset) || offset < 0 || offset > 100_000)
    refuse('offset must be a whole number from 0 to 100,000', offset)
  if (typeof typos !== 'boolean') refuse('typos must be true or false', typos)
}
