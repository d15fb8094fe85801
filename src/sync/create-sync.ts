import { encodeStateAsUpdate, encodeStateVector, parseUpdateMeta } from 'yjs'
import type { DraftChange, StoreChange } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store.ts'
import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { IndexEntry, IndexValue } from './index-entry.ts'
import { openIndexDocument } from './index-document.ts'
import { type KeptConnection, keepConnected } from './keep-connected.ts'
import type { LinkStatus, SyncTransport } from './link.ts'
import { createLocalSessions, type LocalSession } from './local-sessions.ts'
import { plainCodec } from './plain-codec.ts'
import { planSync } from './plan-sync.ts'
import type { PresenceOptions } from './presence/check-presence-options.ts'
import { createPresence } from './presence/create-presence.ts'
import type { PeerState, PresenceCodec } from './presence/presence-state.ts'
import { readStateVector } from './read-state-vector.ts'
import { createReport } from './report.ts'
import { openSessionLink } from './session-link.ts'
import { createSessionWindow } from './session-window.ts'
import type { SessionSyncState, SyncPlan, SyncState, SyncStatus } from './status.ts'
import type { SyncCodec } from './sync-codec.ts'
import type { SyncMemory } from './sync-memory.ts'
import { createWatchedSessions } from './watched-sessions.ts'

/** What sync needs of a store. */
export type SyncStore = Pick<SessionStore, 'listSessions' | 'getVector' | 'changes' | 'merge' | 'flush' | 'delete' | 'purge' | 'listDrafts'>

export interface SyncOptions extends TermOptions {
  readonly store: SyncStore
  /** Hands over every change of the store, from this tab and the others; returns how to stop. */
  readonly follow: (listener: (change: StoreChange) => void) => () => void
  readonly transport: SyncTransport
  /** What stands before every document's name: whose sessions these are. No `/` in it. */
  readonly namespace: string
  /** How content is written where others can see it. Default: in the clear. */
  readonly codec?: SyncCodec
  /** What is known of the other side from earlier runs. Without it, the list of sessions is fetched whole at each start. */
  readonly memory?: SyncMemory
  /** Sessions exchanged at once, default 32. Hocuspocus ends a connection at 100. */
  readonly window?: number
  /** Wait before the first retry, and the longest, in milliseconds. Default 1,000 and 30,000. */
  readonly retryMs?: readonly [first: number, longest: number]
  /** How long a session stays connected after it last changed, so that what is said next is there at once. Default 60,000 ms. */
  readonly liveMs?: number
  /** How long changes are gathered before the others are told that a session changed. Default 300 ms. */
  readonly tellMs?: number
  /** Tells the other devices who is here, types, and has a reply streamed; they tell it here. Absent: nobody is told anything. */
  readonly presence?: PresenceOptions
  /** How that is written where others can see it. Default: in the clear. */
  readonly presenceCodec?: PresenceCodec
  /** Begins paused: `plan` says what would happen. */
  readonly paused?: boolean
  readonly now?: () => number
  readonly random?: () => number
}

/** Sessions of this store, kept equal with those of other devices. */
export interface Sync {
  status(): SyncStatus
  session(key: string): SessionSyncState
  /** Of all sessions that were looked at. */
  states(): Readonly<Record<string, SessionSyncState>>
  /** The list of all devices' sessions, newest first, with those that were not fetched yet. */
  sessions(): readonly IndexEntry[]
  /** The others in a session; those who look at it, or have a reply streamed into it. The same list until something changes. Empty without {@link SyncOptions.presence}. */
  presence(key: string): readonly PeerState[]
  /** Of all sessions that somebody is in. */
  presences(): Readonly<Record<string, readonly PeerState[]>>
  /** Somebody types here, to be said again while they do; without more, it ends after six seconds. Sent where the session is watched, and others are there. */
  setTyping(key: string, isTyping: boolean): void
  /** Somebody looks at a session, by the key it is stored under: it stays connected, and the others see it. For the few on a screen. Returns how to stop. */
  watch(key: string): () => void
  /** Called after each change of what these say, with what changed. Returns how to stop. */
  subscribe(listener: (what: 'sync' | 'presence') => void): () => void
  /** What would be sent, fetched and erased. Waits for the list of the other side. @throws AccessDenied, Aborted, StorageClosed */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /** Exchanges everything now; resolves once nothing is left to do. @throws AccessDenied, Aborted, StorageClosed */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  pause(): Promise<void>
  resume(): void
  /** The way to the server may be there again, as `online` events say: tries at once. */
  retry(): void
  close(): Promise<void>
}

/** Starts to sync. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const { store, follow, transport, namespace, codec = plainCodec, memory, window: size = 32, retryMs = [1000, 30_000], liveMs = 60_000, tellMs = 300, now = Date.now, random = Math.random, presenceCodec } = options
  const term = options.term === undefined ? {} : { term: options.term }
  if (typeof namespace !== 'string' || !/^[^/]+$/.test(namespace)) throw new SessionError('InvalidInput', `namespace must be a text without "/", got ${JSON.stringify(namespace)}.`)
  if (!Number.isInteger(size) || size < 1) throw new SessionError('InvalidInput', `window must be a whole number from 1 on, got ${String(size)}.`)

  const listeners = new Set<(what: 'sync' | 'presence') => void>()
  const report = createReport()
  const locals = createLocalSessions(store, codec.idOf)
  /** Hashes, ours and theirs, that were exchanged in this connection: what was refused then is refused again. */
  const settled = new Map<string, string>()
  let link: LinkStatus = { state: 'connecting' }
  let connection: KeptConnection | undefined
  /** Whether the list of the other side has come, in this connection. */
  let hasList = false
  /** How much of the list the other side has, by client. */
  let theirList: Map<number, number> | undefined
  let isPaused = options.paused === true
  let isClosed = false
  let tellTimer: ReturnType<typeof setTimeout> | undefined
  let saveTimer: ReturnType<typeof setTimeout> | undefined
  let lastError: string | undefined

  const changed = (what: 'sync' | 'presence' = 'sync'): void => listeners.forEach((listener) => listener(what))
  const fail = (error: unknown): void => {
    if (isClosed) return
    lastError = (error as Error).message
    changed()
  }

  const presence = options.presence && createPresence({ ...options.presence, store, codec: presenceCodec, now, onError: fail, onChange: () => changed('presence') })
  const watched = createWatchedSessions({ retryMs, random, onDue: () => review(), onChange: (key, isWatched) => presence?.setWatched(key, isWatched) })

  const index = await openIndexDocument({
    name: `${namespace}/index`, codec: codec.index, now, state: (await memory?.load())?.index,
    onChange: () => {
      if (isClosed) return
      saveTimer ??= setTimeout(save, tellMs)
      review()
    },
  })
  const save = (): void => {
    clearTimeout(saveTimer)
    saveTimer = undefined
    memory?.save({ index: encodeStateAsUpdate(index.doc) }).catch(fail)
  }

  const window = createSessionWindow({
    size, liveMs, now,
    isKept: (key) => watched.has(key) || presence?.isStreaming(key) === true,
    open: async (key, events) => {
      const id = locals.all.get(key)?.id ?? (await codec.idOf(key))
      const visit = presence?.enter(key, id)
      try {
        return await openSessionLink({
          store, key, name: `${namespace}/s/${id}`, elements: codec.elements(id), transport, ...(visit && { visit }), ...term, ...events,
          onSent: (entries) => report.sent(entries),
          onReport: ({ added, quarantined }) => {
            report.received(key, added)
            report.quarantine(key, quarantined)
            changed()
          },
        })
      } catch (error) {
        visit?.leave()
        throw error
      }
    },
    // Both sides have the same: the list is to say so.
    onSynced: async (key) => {
      try {
        await locals.refresh()
        const local = locals.all.get(key)
        if (local !== undefined && !isClosed) await publishList([[local.id, valueOf(local)]])
        settled.set(key, pairOf(key))
        watched.succeeded(key)
      } catch (error) {
        fail(error)
      }
    },
    onTrouble: (key, trouble) => {
      if (trouble.state === 'readonly') link = trouble
      if ('message' in trouble) fail(new Error(`Session "${key}": ${trouble.message}`))
      if (trouble.state !== 'offline') settled.set(key, pairOf(key))
      if (trouble.state !== 'readonly') watched.failed(key)
      changed()
    },
    onChange: changed,
  })

  const idOf = (key: string): string | undefined => locals.all.get(key)?.id ?? [...index.entries()].find(([, entry]) => entry.key === key)?.[0]
  const entryOf = (key: string): IndexEntry | undefined => index.entries().get(idOf(key) ?? '')
  const pairOf = (key: string): string => `${locals.all.get(key)?.hash ?? ''} ${entryOf(key)?.hash ?? ''}`

  const publishList = async (values: readonly (readonly [id: string, value: IndexValue])[]): Promise<void> => {
    if (await index.publish(values)) connection?.ask()
  }

  /** Looks which sessions differ from what the list says, and has them exchanged: changed ones first, newest first. */
  const review = (): void => {
    if (isPaused || isClosed || !hasList) return
    const plan = planSync(locals.all, index.entries())
    void erase(plan.erase)
    const newest = new Map([...index.entries().values()].map(({ key, updatedAt }) => [key, updatedAt]))
    const age = (key: string): number => Math.max(locals.all.get(key)?.listing.updatedAt ?? 0, newest.get(key) ?? 0)
    const isOpen = (key: string): boolean => settled.get(key) !== pairOf(key)
    const latestFirst = (keys: readonly string[]): string[] => keys.filter(isOpen).sort((a, b) => age(b) - age(a))
    const seen = watched.due().filter((key) => !window.isOpen(key) && entryOf(key)?.purged === undefined)
    window.add([...new Set([...seen, ...latestFirst([...plan.exchange, ...plan.upload]), ...latestFirst(plan.download)])])
    window.rest()
  }

  const erase = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      const local = locals.all.get(key)
      const purged = entryOf(key)?.purged
      if (local === undefined || purged === undefined || settled.get(key) === pairOf(key)) continue
      settled.set(key, pairOf(key))
      try {
        if (includesVector(purged, local.vector)) {
          window.drop(key)
          locals.forget(key)
          await store.purge(key, term)
          report.purged()
        } else if (local.listing.deletedAt === undefined) {
          await store.delete(key, term)
          report.quarantine(key, [{ reason: 'another device erased this session, which has entries here that were never there: it was deleted here, and can be brought back' }])
        }
      } catch (error) {
        settled.delete(key)
        fail(error)
      }
    }
    if (keys.length > 0) changed()
  }

  const onChange = (change: StoreChange): void => {
    if (isClosed) return
    if (change.type === 'draft') hearDraft(change)
    if (change.type !== 'session') return
    const erased = locals.hear(change)
    if (erased !== undefined) {
      presence?.forget(change.key)
      window.drop(change.key)
      publishList([[erased.id, { ...valueOf(erased), title: '', purged: erased.vector }]]).catch(fail)
    } else {
      window.publish(change.key).catch(fail)
      tellTimer ??= setTimeout(tell, tellMs)
    }
    changed()
  }

  const hearDraft = (change: DraftChange): void => {
    if (presence === undefined) return
    if (change.view !== undefined || change.added !== undefined) return presence.hear(change)
    // Its entry is to be on its way when it goes.
    window.publish(change.key).catch(fail).finally(() => presence.hear(change))
  }

  const tell = (): void => {
    tellTimer = undefined
    if (!isClosed) locals.refresh().then(() => (review(), changed()), fail)
  }

  const onLost = (): void => {
    hasList = false
    theirList = undefined
    settled.clear()
    void window.stop()
  }

  const onList = async (): Promise<void> => {
    if (hasList || isClosed) return
    const of = connection
    await loading
    if (hasList || connection !== of || link.state === 'offline') return
    hasList = true
    review()
    changed()
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
            // They need not be asked whether they have what they sent.
            for (const [client, next] of parseUpdateMeta(update).to) theirList?.set(client, Math.max(next, theirList.get(client) ?? 0))
          } catch (error) {
            report.quarantine('', [{ reason: (error as Error).message }])
          }
          await onList()
        },
        peerHas: (stateVector) => {
          theirList = new Map(readStateVector(stateVector))
          // Among equals, who has nothing new sends nothing.
          if (hasAll(readStateVector(encodeStateVector(index.doc)), theirList)) void onList()
          changed()
        },
        status: (status) => {
          link = status
          if (status.state === 'connected' || status.state === 'readonly') window.start()
          else onLost()
          changed()
        },
      },
      { first: retryMs[0], longest: retryMs[1], random },
    )
  }

  const unfollow = follow(onChange)
  const loading = locals.load().catch(fail)
  if (!isPaused) connect()

  const isListSent = (): boolean => theirList !== undefined && hasAll(theirList, readStateVector(encodeStateVector(index.doc)))
  const isIdle = (): boolean => hasList && window.pending() === 0 && !locals.isStale() && tellTimer === undefined && isListSent()
  const state = (): SyncState => {
    if (isClosed) return 'closed'
    if (isPaused) return 'paused'
    if (link.state === 'oversized') return 'error'
    if (link.state !== 'connected') return link.state
    if (!isIdle()) return 'syncing'
    return [...window.states().values()].some((one) => one === 'error' || one === 'oversized' || one === 'denied') ? 'error' : 'synced'
  }
  const status = (): SyncStatus => {
    const is = state()
    const message = 'message' in link ? link.message : is === 'error' ? lastError : undefined
    return { state: is, ...(message === undefined ? {} : { message }), pending: window.pending(), progress: window.progress(), report: report.now() }
  }

  /** Until something is so, or can't come to be. */
  const until = (isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const obstacle = (): SessionError | undefined => {
        if (signal?.aborted === true) return new SessionError('Aborted', 'Sync was not waited for any longer. It goes on.')
        if (isClosed) return new SessionError('StorageClosed', 'Sync was closed.')
        return link.state === 'denied' ? new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`) : undefined
      }
      const look = (): void => {
        const error = obstacle()
        if (error === undefined && !isSo()) return
        listeners.delete(look)
        signal?.removeEventListener('abort', look)
        if (error === undefined) resolve()
        else reject(error)
      }
      listeners.add(look)
      signal?.addEventListener('abort', look)
      look()
    })

  return {
    status,
    session: window.state,
    states: () => Object.fromEntries(window.states()),
    sessions: () => [...index.entries().values()].filter(({ purged }) => purged === undefined).sort((a, b) => b.updatedAt - a.updatedAt),
    presence: (key) => presence?.peers(key) ?? nobody,
    presences: () => presence?.all() ?? {},
    setTyping: (key, isTyping) => {
      if (!isClosed) presence?.setTyping(key, isTyping)
    },
    watch: (key) => (isClosed ? () => undefined : watched.watch(key)),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    plan: async (signal) => {
      if (connection === undefined && !isClosed) connect()
      await until(() => hasList, signal)
      await locals.refresh()
      return planSync(locals.all, index.entries())
    },
    syncNow: async (signal) => {
      if (isPaused) throw new SessionError('InvalidInput', 'Sync is paused: resume it first.')
      connection?.retry()
      await loading
      await locals.refresh()
      review()
      await until(isIdle, signal)
      return status()
    },
    pause: async () => {
      isPaused = true
      onLost()
      const over = connection
      connection = undefined
      changed()
      await Promise.all([over?.close(), window.stop()])
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
      watched.close()
      clearTimeout(tellTimer)
      save()
      changed()
      await Promise.allSettled([connection?.close(), loading, window.stop()])
      presence?.close()
    },
  }
}

const nobody: readonly PeerState[] = Object.freeze([])

function valueOf({ listing: { key, title, createdAt, updatedAt, messageCount, archived, deletedAt }, hash }: LocalSession): IndexValue {
  return { key, title, createdAt, updatedAt, messageCount, hash, ...(archived ? { archived } : {}), ...(deletedAt === undefined ? {} : { deletedAt }) }
}

/** Whether one state vector has everything another has. */
function hasAll(theirs: ReadonlyMap<number, number>, ours: ReadonlyMap<number, number>): boolean {
  return [...ours].every(([client, next]) => (theirs.get(client) ?? 0) >= next)
}
