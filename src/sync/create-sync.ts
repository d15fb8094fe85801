import { encodeStateAsUpdate } from 'yjs'
import type { StoreChange } from '../contract/change.ts'
import type { VersionVector } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { SessionListing } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store.ts'
import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { ElementCodec } from './element-codec.ts'
import { type IndexCodec, type IndexDocument, openIndexDocument, plainIndex } from './index-document.ts'
import type { IndexEntry, IndexValue } from './index-entry.ts'
import { type KeptConnection, keepConnected } from './keep-connected.ts'
import type { LinkStatus, SyncTransport } from './link.ts'
import { plainElements } from './plain-elements.ts'
import { createReport } from './report.ts'
import { openSessionLink, type SessionLink } from './session-link.ts'
import { sessionDocumentId } from './session-document-id.ts'
import type { SessionSyncState, SyncPlan, SyncState, SyncStatus } from './status.ts'
import type { SyncMemory } from './sync-memory.ts'
import { vectorHash } from './vector-hash.ts'

/** What sync needs of a store. */
export type SyncStore = Pick<SessionStore, 'listSessions' | 'getVector' | 'changes' | 'merge' | 'flush' | 'delete' | 'purge'>

/** How names and content are written where others can see them. */
export interface SyncCodec {
  readonly elements: (id: string) => ElementCodec
  readonly index: IndexCodec
  /** The part of a document's name that stands for a session. */
  readonly idOf: (key: string) => string | Promise<string>
}

export const plainCodec: SyncCodec = { elements: () => plainElements, index: plainIndex, idOf: sessionDocumentId }

export interface SyncOptions extends TermOptions {
  readonly store: SyncStore
  /** Hands over every change of the store, from this tab and the others; returns how to stop. */
  readonly follow: (listener: (change: StoreChange) => void) => () => void
  readonly transport: SyncTransport
  /** What stands before every document's name: whose sessions these are. */
  readonly namespace: string
  readonly codec?: SyncCodec
  /** What is known of the other side from earlier runs. Without it, the list of sessions is fetched whole at each start. */
  readonly memory?: SyncMemory
  /** Sessions exchanged at once. Hocuspocus closes a connection at 100. Default 32. */
  readonly window?: number
  /** Wait before the first retry, and the longest, in milliseconds. Default 1,000 and 30,000. */
  readonly retryMs?: readonly [first: number, longest: number]
  /** How long a session stays connected after it last changed, so that what is said next is there at once. Default 60,000 ms. */
  readonly liveMs?: number
  /** How long changes are gathered before the others are told that a session changed. Default 300 ms. */
  readonly tellMs?: number
  /** Begins paused: `plan` says what would happen. */
  readonly paused?: boolean
  readonly now?: () => number
  readonly random?: () => number
}

/** Sessions of this store, kept equal with those of other devices. */
export interface Sync {
  status(): SyncStatus
  session(key: string): SessionSyncState
  /** The list of all devices' sessions, newest first; those that were not fetched yet, too. */
  sessions(): readonly IndexEntry[]
  /** Called after each change of what these say. Returns how to stop. */
  subscribe(listener: () => void): () => void
  /** What would be sent, fetched and erased. Waits for the list of the other side. @throws SyncFailed-like `Aborted` when closed meanwhile */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /** Exchanges everything now; resolves once both sides have the same. @throws what is in the way: AccessDenied, Aborted, StorageClosed */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  pause(): Promise<void>
  resume(): void
  /** The way to the server may be there again, as `online` events say: tries at once. */
  retry(): void
  close(): Promise<void>
}

interface LocalSession {
  readonly listing: SessionListing
  readonly id: string
  readonly vector: VersionVector
  readonly hash: string
}

/** Starts to sync. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const { store, follow, transport, namespace, codec = plainCodec, memory, window = 32, retryMs = [1000, 30_000], liveMs = 60_000, tellMs = 300, term, now = Date.now, random = Math.random } = options
  if (!/^[^/]+$/.test(namespace)) throw new SessionError('InvalidInput', `namespace must be a text without "/", got ${JSON.stringify(namespace)}.`)
  if (!(window >= 1)) throw new SessionError('InvalidInput', `window must be at least 1, got ${String(window)}.`)

  const listeners = new Set<() => void>()
  const report = createReport()
  const kept = await memory?.load()
  const locals = new Map<string, LocalSession>()
  const stale = new Set<string>()
  const links = new Map<string, { link: Promise<SessionLink>; since: number }>()
  const states = new Map<string, SessionSyncState>()
  /** Of each session what both sides last agreed on: `ours theirs`. */
  const settled = new Map<string, string>()
  const waiting: string[] = []
  let link: LinkStatus = { state: 'connecting' }
  let connection: KeptConnection | undefined
  let hasIndex = false
  let isPaused = options.paused === true
  let isClosed = false
  let running = 0
  let total = 0
  let done = 0
  let listing: Promise<void> | undefined
  let tellTimer: ReturnType<typeof setTimeout> | undefined
  let lastError: string | undefined

  const changed = (): void => {
    for (const listener of listeners) listener()
  }

  // --- What is here

  const take = async (listed: SessionListing): Promise<void> => {
    const vector = await store.getVector(listed.key)
    if (vector === undefined || listed.promotedTo !== undefined) return void locals.delete(listed.key)
    locals.set(listed.key, { listing: listed, id: locals.get(listed.key)?.id ?? (await codec.idOf(listed.key)), vector, hash: vectorHash(vector) })
  }

  const readAll = async (): Promise<void> => {
    for (const deleted of [false, true]) {
      for (let cursor: string | undefined; ; ) {
        const page = await store.listSessions({ deleted, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
        for (const listed of page.sessions) await take(listed)
        if (page.next === undefined) break
        cursor = page.next
      }
    }
  }

  const valueOf = ({ listing: { key, title, createdAt, updatedAt, messageCount, archived, deletedAt }, hash }: LocalSession): IndexValue => ({
    key, title, createdAt, updatedAt, messageCount, hash,
    ...(archived ? { archived } : {}),
    ...(deletedAt === undefined ? {} : { deletedAt }),
  })

  // --- What is to be done

  /** Looks which sessions differ from what the list says, and has them exchanged: changed ones first, newest first. */
  const review = (): void => {
    if (isPaused || isClosed || !hasIndex) return
    const plan = planNow()
    void erase(plan.erase)
    const entries = new Map([...index.entries().values()].map((entry) => [entry.key, entry]))
    const newest = (key: string): number => Math.max(locals.get(key)?.listing.updatedAt ?? 0, entries.get(key)?.updatedAt ?? 0)
    const wanted = [...plan.exchange, ...plan.upload, ...plan.download]
    const asked = new Set(waiting)
    const fresh = wanted.filter((key) => !asked.has(key) && settled.get(key) !== pairOf(key) && !(links.has(key) && states.get(key) === 'syncing'))
    if (waiting.length === 0 && running === 0) [total, done] = [0, 0]
    total += fresh.length
    waiting.push(...fresh)
    waiting.sort((a, b) => newest(b) - newest(a))
    for (const key of fresh) states.set(key, 'waiting')
    work()
    changed()
  }

  const entryOf = (key: string): IndexEntry | undefined => [...index.entries().values()].find((entry) => entry.key === key)
  /** A purged session has the hash that it had before. */
  const pairOf = (key: string): string => {
    const entry = entryOf(key)
    return `${locals.get(key)?.hash ?? ''} ${entry?.purged === undefined ? (entry?.hash ?? '') : 'purged'}`
  }

  const planNow = (): SyncPlan => {
    const plan = { upload: [] as string[], download: [] as string[], exchange: [] as string[], erase: [] as string[] }
    const entries = index.entries()
    for (const { listing: { key }, id, hash, vector } of locals.values()) {
      const entry = entries.get(id)
      if (entry === undefined) plan.upload.push(key)
      else if (entry.purged !== undefined) isBegunAnew(vector, entry.purged) ? plan.upload.push(key) : plan.erase.push(key)
      else if (entry.hash !== hash) plan.exchange.push(key)
    }
    for (const { key, purged } of entries.values()) if (purged === undefined && !locals.has(key)) plan.download.push(key)
    return plan
  }

  const erase = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      const local = locals.get(key)
      const purged = entryOf(key)?.purged
      if (local === undefined || purged === undefined || settled.get(key) === pairOf(key)) continue
      settled.set(key, pairOf(key))
      const options = term === undefined ? {} : { term }
      try {
        if (includesVector(purged, local.vector)) {
          locals.delete(key)
          await store.purge(key, options)
          report.purged()
        } else if (local.listing.deletedAt === undefined) {
          // It was erased by somebody who had not seen all of it. What only this device has is not thrown away: it is in the trash here.
          await store.delete(key, options)
          report.quarantine(key, [{ reason: 'another device purged this session, which has entries that were never there: it was deleted here, and can be brought back' }])
        }
      } catch (error) {
        settled.delete(key)
        fail(error)
      }
    }
    changed()
  }

  const work = (): void => {
    while (!isPaused && !isClosed && running < window && waiting.length > 0 && isUp()) {
      const key = waiting.shift()!
      running += 1
      void exchange(key).finally(() => {
        running -= 1
        done += 1
        work()
        changed()
      })
    }
  }

  const isUp = (): boolean => link.state === 'connected' || link.state === 'readonly'

  /** Opens a session, and settles once both sides have the same, or can't come to it now. */
  const exchange = async (key: string): Promise<void> => {
    states.set(key, 'syncing')
    try {
      const opened = links.get(key)
      if (opened !== undefined) {
        opened.since = now()
        await (await opened.link).publish()
        return
      }
      await new Promise<void>((resolve) => {
        const opening = open(key, resolve)
        links.set(key, { link: opening, since: now() })
        opening.catch((error: unknown) => {
          links.delete(key)
          states.set(key, 'error')
          fail(error)
          resolve()
        })
      })
    } catch (error) {
      states.set(key, 'error')
      fail(error)
    }
  }

  const open = async (key: string, settle: () => void): Promise<SessionLink> => {
    const id = locals.get(key)?.id ?? (await codec.idOf(key))
    let isQuarantined = false
    const end = (state: SessionSyncState): void => {
      states.set(key, state)
      settle()
      drop(key)
    }
    const sessionLink = await openSessionLink({
      store, key, name: `${namespace}/s/${id}`, elements: codec.elements(id), transport, ...(term === undefined ? {} : { term }),
      onReport: ({ added, quarantined }) => {
        if (added > 0) report.received(key, added)
        if (quarantined.length > 0) {
          isQuarantined = true
          report.quarantine(key, quarantined)
        }
        changed()
      },
      onSynced: () => {
        states.set(key, isQuarantined ? 'quarantined' : 'synced')
        void agree(key).then(settle)
      },
      onTrouble: (status) => {
        if (status.state === 'readonly') {
          link = status
          states.set(key, 'readonly')
          settle()
        } else if (status.state === 'offline') end('waiting')
        else {
          lastError = status.message
          end(status.state)
        }
        changed()
      },
    })
    return sessionLink
  }

  /** Both sides have the same: the list is to say so. */
  const agree = async (key: string): Promise<void> => {
    try {
      await refresh()
      const local = locals.get(key)
      if (local !== undefined && !isClosed) await index.publish([[local.id, valueOf(local)]])
      settled.set(key, pairOf(key))
    } catch (error) {
      fail(error)
    }
  }

  const drop = (key: string): void => {
    const opened = links.get(key)
    links.delete(key)
    void opened?.link.then((one) => one.close(), () => undefined)
  }

  /** Sessions nobody has changed for a while are let go. */
  const rest = (): void => {
    const since = now() - liveMs
    for (const [key, opened] of links) if (opened.since < since && states.get(key) !== 'syncing') drop(key)
  }

  // --- What happens

  const refresh = async (): Promise<void> => {
    for (const key of [...stale]) {
      stale.delete(key)
      const listed = heard.get(key)
      if (listed !== undefined) await take(listed)
    }
  }
  const heard = new Map<string, SessionListing>()

  const onChange = (change: StoreChange): void => {
    if (change.type !== 'session') return
    const { key, listing: listed } = change
    if (listed === undefined) {
      const local = locals.get(key)
      locals.delete(key)
      heard.delete(key)
      if (local !== undefined) {
        drop(key)
        void index.publish([[local.id, { ...valueOf(local), title: '', purged: local.vector }]]).catch(fail)
      }
      return
    }
    heard.set(key, listed)
    stale.add(key)
    void links.get(key)?.link.then(async (opened) => {
      links.get(key)!.since = now()
      report.sent(await opened.publish())
    }).catch(fail)
    tellTimer ??= setTimeout(tell, tellMs)
  }

  const tell = (): void => {
    tellTimer = undefined
    if (isClosed) return
    refresh().then(review, fail)
    rest()
  }

  const fail = (error: unknown): void => {
    if (isClosed) return
    lastError = (error as Error).message
    changed()
  }

  // --- The list

  const index: IndexDocument = await openIndexDocument({
    name: `${namespace}/index`, codec: codec.index, now, state: kept?.index,
    onChange: () => {
      if (isClosed) return
      saveTimer ??= setTimeout(save, tellMs)
      review()
    },
  })
  let saveTimer: ReturnType<typeof setTimeout> | undefined
  const save = (): void => {
    saveTimer = undefined
    memory?.save({ index: encodeStateAsUpdate(index.doc) }).catch(fail)
  }

  const connect = (): void => {
    connection = keepConnected(
      transport,
      {
        name: `${namespace}/index`,
        doc: index.doc,
        receive: async (update, origin) => {
          try {
            await index.receive(update, origin)
          } catch (error) {
            report.quarantine('', [{ reason: (error as Error).message }])
          }
          if (!hasIndex) {
            hasIndex = true
            await listing
            review()
            changed()
          }
        },
        peerHas: () => undefined,
        status: (status) => {
          const was = isUp()
          link = status
          if (was && !isUp()) {
            hasIndex = false
            settled.clear()
            for (const key of [...links.keys()]) drop(key)
          }
          work()
          changed()
        },
      },
      { first: retryMs[0], longest: retryMs[1], random },
    )
  }

  const unfollow = follow(onChange)
  listing = readAll().catch(fail)
  if (!isPaused) connect()

  const state = (): SyncState => {
    if (isClosed) return 'closed'
    if (isPaused) return 'paused'
    if (link.state === 'oversized') return 'error'
    if (link.state !== 'connected') return link.state
    if (waiting.length + running > 0 || !hasIndex) return 'syncing'
    return [...states.values()].includes('error') ? 'error' : 'synced'
  }

  const status = (): SyncStatus => {
    const message = 'message' in link ? link.message : state() === 'error' ? lastError : undefined
    return { state: state(), ...(message === undefined ? {} : { message }), pending: waiting.length + running, progress: { done, total }, report: report.now() }
  }

  /** Until something is so, or can't come to be. */
  const until = (isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        listeners.delete(look)
        signal?.removeEventListener('abort', look)
      }
      const look = (): void => {
        const error = signal?.aborted === true ? new SessionError('Aborted', 'Sync was not waited for any longer.') : isClosed ? new SessionError('StorageClosed', 'Sync was closed.') : link.state === 'denied' ? new SessionError('AccessDenied', link.message) : undefined
        if (error === undefined && !isSo()) return
        end()
        if (error === undefined) resolve()
        else reject(error)
      }
      listeners.add(look)
      signal?.addEventListener('abort', look)
      look()
    })

  return {
    status,
    session: (key) => states.get(key) ?? 'unknown',
    sessions: () => [...index.entries().values()].filter(({ purged }) => purged === undefined).sort((a, b) => b.updatedAt - a.updatedAt),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    plan: async (signal) => {
      if (connection === undefined && !isClosed) connect()
      await until(() => hasIndex, signal)
      await listing
      await refresh()
      return planNow()
    },
    syncNow: async (signal) => {
      connection?.retry()
      await listing
      await refresh()
      review()
      await until(() => hasIndex && stale.size === 0 && waiting.length + running === 0 && tellTimer === undefined, signal)
      return status()
    },
    pause: async () => {
      isPaused = true
      waiting.length = 0
      const open = [...links.values()].map(({ link: one }) => one)
      links.clear()
      await connection?.close()
      connection = undefined
      hasIndex = false
      await Promise.allSettled(open.map(async (one) => (await one).close()))
      changed()
    },
    resume: () => {
      if (!isPaused || isClosed) return
      isPaused = false
      if (connection === undefined) connect()
      else review()
      changed()
    },
    retry: () => connection?.retry(),
    close: async () => {
      if (isClosed) return
      isClosed = true
      unfollow()
      clearTimeout(tellTimer)
      clearTimeout(saveTimer)
      const open = [...links.values()].map(({ link: one }) => one)
      links.clear()
      await Promise.allSettled([connection?.close(), listing, ...open.map(async (one) => (await one).close())])
      save()
      changed()
    },
  }
}

/** Whether a session has nothing of what was purged: it was begun anew under the same key. */
function isBegunAnew(vector: VersionVector, purged: VersionVector): boolean {
  return Object.keys(vector).every((writer) => (purged[writer] ?? 0) === 0)
}
