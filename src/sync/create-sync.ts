import { encodeStateAsUpdate, encodeStateVector, parseUpdateMeta } from 'yjs'
import type { DraftChange, StoreChange } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store.ts'
import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import { createBlobExchange } from './blob-exchange.ts'
import { changeKeys } from './change-keys.ts'
import { checkKeys, type KeyCheck } from './check-keys.ts'
import type { RotationProgress, RotationReport } from './encryption/rotate-keys.ts'
import { sealedPresence } from './encryption/sealed-presence.ts'
import { sealedBlobs } from './encryption/sealed-blobs.ts'
import { sealedCodec } from './encryption/sealed-codec.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { hasAll } from './has-all.ts'
import type { IndexEntry, IndexValue } from './index-entry.ts'
import { type KeyMarks, openIndexDocument } from './index-document.ts'
import { isBegunAnew } from './is-begun-anew.ts'
import { type KeptConnection, keepConnected } from './keep-connected.ts'
import type { LinkStatus, SyncTransport } from './link.ts'
import { createLocalSessions, type LocalSession } from './local-sessions.ts'
import { plainCodec } from './plain-codec.ts'
import { planSync } from './plan-sync.ts'
import type { PresenceOptions } from './presence/check-presence-options.ts'
import { createPresence } from './presence/create-presence.ts'
import type { PeerState, PresenceCodec } from './presence/presence-state.ts'
import { readStateVector } from './read-state-vector.ts'
import { sameContent } from './same-content.ts'
import { createReport } from './report.ts'
import { openSessionLink } from './session-link.ts'
import { createSessionWindow } from './session-window.ts'
import type { BlobCounts, SessionSyncState, SyncPlan, SyncState, SyncStatus } from './status.ts'
import type { SyncMemory } from './sync-memory.ts'
import { createWatchedSessions } from './watched-sessions.ts'

/** What sync needs of a store. */
export type SyncStore = Pick<SessionStore, 'listSessions' | 'getVector' | 'changes' | 'merge' | 'flush' | 'delete' | 'purge' | 'getBlob' | 'putBlob' | 'listDrafts'>

export interface SyncOptions extends TermOptions {
  readonly store: SyncStore
  /** Hands over every change of the store, from this tab and the others; returns how to stop. */
  readonly follow: (listener: (change: StoreChange) => void) => () => void
  readonly transport: SyncTransport
  /** What stands before every document's name: whose sessions these are. No `/` in it. */
  readonly namespace: string
  /** What everything is sealed with before it leaves this device. Absent: it goes in the clear. */
  readonly keys?: SyncKeys
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
  /** How that is written where others can see it. Default: sealed with the keys, without them in the clear. */
  readonly presenceCodec?: PresenceCodec
  /** Begins paused: `plan` says what would happen. */
  readonly paused?: boolean
  readonly now?: () => number
  readonly random?: () => number
}

export interface KeyChange {
  /** The key that is given up, where it is not that of this sync: to go on with a change that was broken off. */
  readonly from?: SyncKeys
  readonly onProgress?: (progress: RotationProgress) => void
  readonly signal?: AbortSignal
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
  /** What would be sent, fetched and erased. Waits for the list of the other side. @throws AccessDenied, WrongPassphrase (the state is `wrongKey`), Aborted, StorageClosed */
  plan(signal?: AbortSignal): Promise<SyncPlan>
  /** Exchanges everything now; resolves once nothing is left to do. @throws AccessDenied, WrongPassphrase (the state is `wrongKey`), Aborted, StorageClosed */
  syncNow(signal?: AbortSignal): Promise<SyncStatus>
  pause(): Promise<void>
  resume(): void
  /** The way to the server may be there again, as `online` events say: tries at once. */
  retry(): void
  /** The network is gone, as `offline` events say: a connection would take minutes to notice. Tries again by itself. */
  drop(): void
  /**
   * Puts everything that the server has under another key, and goes on with that one: keep it first, where the next start finds it. Other devices stop and ask
   * for it. What breaks off is gone on with by calling it again; sessions that are `left` need that, too, with `from`.
   *
   * @throws InvalidInput (no keys, the same, or one that was given up before), WrongPassphrase (the old one is not in use), AccessDenied, Aborted, StorageClosed
   */
  changeKeys(to: SyncKeys, options?: KeyChange): Promise<RotationReport>
  close(): Promise<void>
}

/** How long the sessions that were just exchanged wait for others, to be told of in one go, in milliseconds. */
const gatherMs = 10

/** Starts to sync. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const { store, follow, transport, namespace, memory, window: size = 32, retryMs = [1000, 30_000], liveMs = 60_000, tellMs = 300, now = Date.now, random = Math.random, presenceCodec } = options
  const term = options.term === undefined ? {} : { term: options.term }
  if (typeof namespace !== 'string' || !/^[^/]+$/.test(namespace)) throw new SessionError('InvalidInput', `namespace must be a text without "/", got ${JSON.stringify(namespace)}.`)
  checkNamespace(options.keys, namespace)
  if (!Number.isInteger(size) || size < 1) throw new SessionError('InvalidInput', `window must be a whole number from 1 on, got ${String(size)}.`)

  const listeners = new Set<(what: 'sync' | 'presence') => void>()
  const report = createReport()
  let keys = options.keys
  let codec = keys === undefined ? plainCodec : sealedCodec([keys])
  let locals = createLocalSessions(store, codec.idOf)
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
  /** What is to be said in the list, by id, and when it is said. */
  const gathered = new Map<string, LocalSession>()
  let gathering: Promise<void> | undefined
  /** What was found of our keys, and in which state of the list. */
  let keyCheck: KeyCheck | undefined
  let checked: KeyMarks | undefined
  let checking: Promise<void> = Promise.resolve()
  /** Sessions that are sealed with another key: asked for again with another one. */
  const sealed = new Set<string>()
  /** Erased here, and not told yet. */
  let erased: LocalSession[] = []
  let isTelling = false
  let telling: Promise<void> = Promise.resolve()
  /** Ends the change of keys that is under way. */
  let ending: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined

  const changed = (what: 'sync' | 'presence' = 'sync'): void => listeners.forEach((listener) => listener(what))
  const fail = (error: unknown): void => {
    if (isClosed) return
    lastError = (error as Error).message
    changed()
  }

  const presence = options.presence && createPresence({ ...options.presence, store, codec: presenceCodec ?? (keys === undefined ? undefined : sealedPresence(() => keys!)), now, onError: fail, onChange: () => changed('presence') })
  const watched = createWatchedSessions({ retryMs, random, onDue: () => review(), onChange: (key, isWatched) => presence?.setWatched(key, isWatched) })

  const remembered = await memory?.load()
  let isRemembered = remembered !== undefined && remembered.keyId === keys?.id
  const openIndex = (state?: Uint8Array) =>
    openIndexDocument({
      name: `${namespace}/index`, codec: codec.index, now, state,
      onChange: () => {
        if (isClosed) return
        saveTimer ??= setTimeout(save, tellMs)
        proceed()
      },
    })
  // What was written with another key is of another list.
  let index = await openIndex(isRemembered ? remembered?.index : undefined)
  const openBlobs = (before?: BlobCounts) =>
    createBlobExchange({
      store, namespace, before,
      blobs: transport.blobs && keys ? sealedBlobs(keys, transport.blobs) : transport.blobs,
      onChange: () => {
        if (isClosed) return
        // What is left is known at the next start.
        saveTimer ??= setTimeout(save, tellMs)
        changed()
      },
    })
  let blobs = openBlobs()
  const save = (): void => {
    clearTimeout(saveTimer)
    saveTimer = undefined
    memory?.save({ index: encodeStateAsUpdate(index.doc), blobs: blobs.open(), ...(keys === undefined ? {} : { keyId: keys.id }) }).catch(fail)
  }

  const window = createSessionWindow({
    size, liveMs, now,
    isKept: (key) => watched.has(key) || presence?.isStreaming(key) === true,
    open: async (key, events) => {
      const id = locals.all.get(key)?.id ?? (await codec.idOf(key))
      const visit = presence?.enter(key, id)
      try {
        return await openSessionLink({
          store, key, name: `${namespace}/s/${id}`, elements: codec.elements(id), blobs, transport, ...(visit && { visit }), ...term, ...events,
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
        if (local !== undefined && !isClosed && !isErasedElsewhere(local)) await publishSoon(local)
        if (local !== undefined && isErasedElsewhere(local)) review()
        else settled.set(key, pairOf(key))
        watched.succeeded(key)
      } catch (error) {
        fail(error)
      }
    },
    onTrouble: (key, trouble) => {
      if (trouble.state === 'readonly') link = trouble
      if ('message' in trouble) fail(new Error(`Session "${key}": ${trouble.message}`))
      if (trouble.state === 'wrongKey') sealed.add(key)
      if (trouble.state !== 'offline') settled.set(key, pairOf(key))
      if (trouble.state !== 'readonly') watched.failed(key)
      changed()
    },
    onChange: changed,
  })

  /** Ids of what is not here, by key: looked up for every session in each review. */
  let remote: { readonly of: ReadonlyMap<string, IndexEntry>; readonly ids: ReadonlyMap<string, string> } | undefined
  const idOf = (key: string): string | undefined => {
    const of = index.entries()
    if (remote?.of !== of) remote = { of, ids: new Map([...of].map(([id, entry]) => [entry.key, id])) }
    return locals.all.get(key)?.id ?? remote.ids.get(key)
  }
  const entryOf = (key: string): IndexEntry | undefined => index.entries().get(idOf(key) ?? '')
  const pairOf = (key: string): string => {
    const entry = entryOf(key)
    // One that was purged has the hash that it had before.
    return `${locals.all.get(key)?.hash ?? ''} ${entry?.purged === undefined ? (entry?.hash ?? '') : 'purged'}`
  }

  /** Who heard of a purge while it exchanged must not unsay it. */
  const isErasedElsewhere = ({ id, vector }: LocalSession): boolean => {
    const purged = index.entries().get(id)?.purged
    return purged !== undefined && !isBegunAnew(vector, purged)
  }

  const publishList = async (values: readonly (readonly [id: string, value: IndexValue])[]): Promise<void> => {
    if (mayTell() && (await index.publish(values))) connection?.ask()
  }
  /** Whether the list may be written to: with the right key, and offline with one that was the right one last time. */
  const mayTell = (): boolean => (keyCheck === undefined ? isRemembered : keyCheck.isRight && keyCheck.record === undefined) && ending === undefined
  const tellErased = async (): Promise<void> => {
    if (isTelling || !mayTell() || erased.length === 0) return
    isTelling = true
    const told = [...erased]
    try {
      const values = await Promise.all(told.map(async (one) => [await codec.idOf(one.listing.key), { ...valueOf(one), title: '', purged: one.vector }] as const))
      // A change of keys may have begun meanwhile: the list is another one when it is over.
      if (!mayTell()) return
      await (telling = publishList(values))
      erased = erased.filter((one) => !told.includes(one))
    } catch (error) {
      return fail(error)
    } finally {
      isTelling = false
    }
    void tellErased()
  }

  const isChecked = (): boolean => checked === index.marks() && keyCheck?.isRight === true
  /** Looks how our keys stand, before anything is sent and whenever the list says something else of keys. */
  const check = async (): Promise<void> => {
    while (!isClosed && checked !== index.marks()) {
      const marks = index.marks()
      const found = await checkKeys(marks, keys, namespace).catch((error: Error): KeyCheck => ({ isRight: false, message: error.message }))
      if (marks !== index.marks()) continue
      checked = marks
      keyCheck = found
      if (!found.isRight) {
        settled.clear()
        await window.stop()
      } else {
        if (found.notice !== undefined) report.notice(found.notice)
        if (link.state === 'connected' || link.state === 'readonly') window.start()
      }
    }
  }
  /** Goes on with what the list says, as far as our keys let us. */
  const proceed = (): void => {
    if (checked === index.marks()) return review()
    if (!hasList || isClosed || ending !== undefined) return
    checking = checking.then(check).then(review).catch(fail).finally(changed)
  }

  /** Says it with what else is said within a moment: each new list is looked through as a whole, here and by all others. */
  const publishSoon = (local: LocalSession): Promise<void> => {
    gathered.set(local.id, local)
    gathering ??= new Promise((resolve) => setTimeout(resolve, gatherMs)).then(() => {
      const values = [...gathered].flatMap(([id, one]) => (isErasedElsewhere(one) ? [] : [[id, valueOf(one)] as const]))
      gathered.clear()
      gathering = undefined
      return isClosed ? undefined : publishList(values)
    })
    return gathering
  }

  /** Looks which sessions differ from what the list says, and has them exchanged: changed ones first, newest first. */
  const review = (): void => {
    if (isPaused || isClosed || !hasList || !isChecked()) return
    const record = keyCheck?.isRight === true ? keyCheck.record : undefined
    // It comes first: whoever has another key is not to find anything that it can't read without a word. Then the list is another one, and this is called again.
    if (record !== undefined && !index.marks().records.some((one) => sameContent(one, record))) return void index.addRecord(record).then(() => connection?.ask(), fail)
    void tellErased()
    const plan = planSync(locals.all, index.entries())
    void erase(plan.erase)
    const newest = new Map([...index.entries().values()].map(({ key, updatedAt }) => [key, updatedAt]))
    const age = (key: string): number => Math.max(locals.all.get(key)?.listing.updatedAt ?? 0, newest.get(key) ?? 0)
    const isOpen = (key: string): boolean => settled.get(key) !== pairOf(key)
    const latestFirst = (keys: readonly string[]): string[] => keys.filter((key) => isOpen(key) && !sealed.has(key)).sort((a, b) => age(b) - age(a))
    const seen = watched.due().filter((key) => !window.isOpen(key) && !sealed.has(key) && entryOf(key)?.purged === undefined)
    const fetched = plan.download.filter((key) => !erased.some(({ listing }) => listing.key === key))
    window.add([...new Set([...seen, ...latestFirst([...plan.exchange, ...plan.upload]), ...latestFirst(fetched)])])
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
    const gone = locals.hear(change)
    if (gone !== undefined) {
      presence?.forget(change.key)
      window.drop(change.key)
      erased.push(gone)
      void tellErased()
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
    blobs.rest()
    void window.stop()
  }

  const onList = async (): Promise<void> => {
    if (hasList || isClosed) return
    const of = connection
    await loading
    if (hasList || connection !== of || link.state === 'offline') return
    hasList = true
    proceed()
    await checking
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
          if (status.state === 'connected' || status.state === 'readonly') {
            if (keyCheck?.isRight !== false) window.start()
            blobs.retry(leftBlobs)
            leftBlobs = []
          } else onLost()
          changed()
        },
      },
      { first: retryMs[0], longest: retryMs[1], random },
    )
  }

  let leftBlobs = remembered?.blobs ?? []
  const unfollow = follow(onChange)
  let loading = locals.load().catch(fail)
  if (!isPaused) connect()

  /** Begins anew with these keys. */
  const goOn = async (next: SyncKeys | undefined): Promise<void> => {
    const left = blobs.open()
    // What was said and not sent. After a change it was sent with it.
    const state = next === keys ? encodeStateAsUpdate(index.doc) : undefined
    blobs.close()
    keys = next
    codec = keys === undefined ? plainCodec : sealedCodec([keys])
    isRemembered = false
    keyCheck = undefined
    checked = undefined
    sealed.clear()
    locals = createLocalSessions(store, codec.idOf)
    blobs = openBlobs(blobs.counts())
    leftBlobs = left
    index.doc.destroy()
    index = await openIndex(state)
    loading = locals.load().catch(fail)
    await loading
  }

  const isListSent = (): boolean => theirList !== undefined && hasAll(theirList, readStateVector(encodeStateVector(index.doc)))
  const isIdle = (): boolean => hasList && isChecked() && window.pending() === 0 && !locals.isStale() && tellTimer === undefined && isListSent()
  const state = (): SyncState => {
    if (isClosed) return 'closed'
    if (isPaused) return 'paused'
    if (ending !== undefined) return 'syncing'
    if (keyCheck?.isRight === false && (link.state === 'connected' || link.state === 'readonly')) return 'wrongKey'
    if (link.state === 'oversized') return 'error'
    if (link.state !== 'connected') return link.state
    if (!isIdle()) return 'syncing'
    return [...window.states().values()].some((one) => one === 'error' || one === 'oversized' || one === 'denied' || one === 'wrongKey') ? 'error' : 'synced'
  }
  const status = (): SyncStatus => {
    const is = state()
    const message = is === 'wrongKey' && keyCheck?.isRight === false ? keyCheck.message : 'message' in link ? link.message : is === 'error' ? lastError : undefined
    return { state: is, ...(message === undefined ? {} : { message }), pending: window.pending(), progress: window.progress(), report: report.now(blobs.counts()) }
  }

  /** Until something is so, or can't come to be. */
  const until = (isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const obstacle = (): SessionError | undefined => {
        if (signal?.aborted === true) return new SessionError('Aborted', 'Sync was not waited for any longer. It goes on.')
        if (isClosed) return new SessionError('StorageClosed', 'Sync was closed.')
        if (keyCheck?.isRight === false && checked === index.marks() && ending === undefined) return new SessionError('WrongPassphrase', keyCheck.message)
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
      if (connection === undefined && !isClosed && ending === undefined) connect()
      await until(() => hasList && isChecked(), signal)
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
      if (ending !== undefined) return changed()
      if (connection === undefined) connect()
      else review()
      changed()
    },
    retry: () => connection?.retry(),
    drop: () => connection?.drop(),
    changeKeys: async (to, { from = keys, onProgress, signal } = {}) => {
      if (isClosed) throw new SessionError('StorageClosed', 'Sync was closed.')
      if (from === undefined) throw new SessionError('InvalidInput', 'This sync has no key that could be changed. Close it, and open it with keys.')
      if (ending !== undefined) throw new SessionError('InvalidInput', 'The key is being changed already. Wait for that.')
      for (const given of [from, to]) checkNamespace(given, namespace)
      const controller = new AbortController()
      const stop = (): void => controller.abort()
      signal?.addEventListener('abort', stop)
      if (signal?.aborted === true) stop()
      const run = async (): Promise<RotationReport> => {
        onLost()
        const over = connection
        connection = undefined
        changed()
        await Promise.all([over?.close(), window.stop(), loading, checking, telling.catch(() => undefined)])
        return changeKeys({
          state: encodeStateAsUpdate(index.doc), store, transport, namespace, from, to, now, onProgress, signal: controller.signal, retry: { first: retryMs[0], longest: retryMs[1], random }, ...term,
        })
      }
      let isOver = false
      // Not before everybody sees that it is under way.
      const done = Promise.resolve().then(run)
      ending = { controller, done }
      try {
        const result = await done
        isOver = true
        return result
      } finally {
        signal?.removeEventListener('abort', stop)
        if (!isClosed) await goOn(isOver ? to : keys).catch(fail)
        ending = undefined
        if (!isClosed && !isPaused) connect()
        changed()
      }
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      ending?.controller.abort()
      blobs.close()
      unfollow()
      watched.close()
      clearTimeout(tellTimer)
      save()
      changed()
      await Promise.allSettled([ending?.done, connection?.close(), loading, checking, window.stop()])
      presence?.close()
    },
  }
}

const nobody: readonly PeerState[] = Object.freeze([])

function valueOf({ listing: { key, title, createdAt, updatedAt, messageCount, archived, deletedAt }, hash }: LocalSession): IndexValue {
  return { key, title, createdAt, updatedAt, messageCount, hash, ...(archived ? { archived } : {}), ...(deletedAt === undefined ? {} : { deletedAt }) }
}

/** @throws InvalidInput */
function checkNamespace(keys: SyncKeys | undefined, namespace: string): void {
  if (keys !== undefined && keys.namespace !== namespace) throw new SessionError('InvalidInput', `The keys of sync are for the namespace ${JSON.stringify(keys.namespace)}, and it syncs ${JSON.stringify(namespace)}. Open them for this one.`)
}
