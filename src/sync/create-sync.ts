import { encodeStateAsUpdate } from 'yjs'
import { SessionError } from '../contract/errors.ts'
import { createBatchedReviews } from './batched-reviews.ts'
import { checkNamespace } from './check-namespace.ts'
import { createConnectedSessions } from './connected-sessions.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { erasePurged } from './erase-purged.ts'
import { createFailedSessions } from './failed-sessions.ts'
import { findUnsent } from './find-unsent.ts'
import { isGone } from './is-gone.ts'
import { createKeyChanger } from './key-changer.ts'
import type { KeyCheck } from './key-check.ts'
import { type KeyScope, openKeyScope } from './key-scope.ts'
import { createListConnection } from './list-connection.ts'
import { createLocalChanges } from './local-changes.ts'
import { newestFirst } from './newest-first.ts'
import { nextExchanges } from './next-exchanges.ts'
import { planSync } from './plan-sync.ts'
import type { PeerState } from './presence/presence-state.ts'
import { createListPublisher } from './publish-list.ts'
import { createPurgeAnnouncements } from './purge-announcements.ts'
import { createPurgeEraser } from './purge-eraser.ts'
import { createReport } from './report.ts'
import { createRequestedSessions } from './requested-sessions.ts'
import { sameContent } from './same-content.ts'
import { createListSaver } from './save-list.ts'
import { createSettledSessions } from './settled-sessions.ts'
import { stateOf } from './state-of.ts'
import type { BlobCounts, SyncStatus } from './status.ts'
import type { Sync, SyncOptions } from './sync-contract.ts'
import { createUnreadableSessions } from './unreadable-sessions.ts'
import { waitUntil } from './wait-until.ts'
import { createWatchedSessions } from './watched-sessions.ts'

/** Starts sync. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const {
    store,
    follow,
    transport,
    namespace,
    memory,
    window: size = 32,
    retryMs = [1000, 30_000],
    liveMs = 60_000,
    announceMs = 300,
    now = Date.now,
    random = Math.random,
    presenceCodec,
  } = options
  const term = options.term === undefined ? {} : { term: options.term }
  const retry = { first: retryMs[0], longest: retryMs[1], random }
  checkNamespace(namespace, options.keys)
  if (!Number.isInteger(size) || size < 1)
    throw new SessionError('InvalidInput', `window must be a whole number of at least 1, got ${String(size)}.`)

  const listeners = new Set<(what: 'sync' | 'presence') => void>()
  const report = createReport()
  let isPaused = options.paused === true
  let isClosed = false
  let lastError: string | undefined
  let checking: Promise<void> = Promise.resolve()
  /** Sessions that have to be exchanged once more although the list says that both sides have the same. */
  const doubted = new Set<string>()

  const changed = (what: 'sync' | 'presence' = 'sync'): void => listeners.forEach((listener) => listener(what))
  const subscribe: Sync['subscribe'] = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const fail = (error: unknown): void => {
    if (isClosed) return
    lastError = (error as Error).message
    changed()
  }

  const presence =
    options.presence &&
    (await import('./presence/create-presence.ts')).createPresence({
      ...options.presence,
      device: options.device,
      store,
      now,
      codec:
        presenceCodec ??
        (options.keys && (await import('./encryption/sealed-presence.ts')).sealedPresence(() => under.keys!)),
      onError: fail,
      onChange: () => changed('presence'),
      onUnseen: () => review(),
    })
  const watched = createWatchedSessions({
    onWatched: () => review(),
    onChange: (key, isWatched) => presence?.setWatched(key, isWatched),
  })
  const failed = createFailedSessions({ retry, onRetry: (keys) => review(keys) })

  const remembered = await memory?.load()
  const onFound = async (found: KeyCheck): Promise<void> => {
    if (!found.isRight) {
      settled.clear()
      await window.stop()
    } else {
      if (found.notice !== undefined) report.notice(found.notice)
      if (list.isUp() && !isPaused) window.start()
    }
  }
  const open = (
    keys: SyncKeys | undefined,
    {
      isRemembered = false,
      state,
      before,
    }: { isRemembered?: boolean; state?: Uint8Array | undefined; before?: BlobCounts } = {},
  ): Promise<KeyScope> =>
    openKeyScope({
      store,
      transport,
      namespace,
      keys,
      now,
      isRemembered,
      state,
      before,
      onFound,
      isOver: () => isClosed,
      onList: () => {
        if (isClosed) return
        saver.saveSoon()
        proceed()
      },
      onBlobs: () => {
        if (isClosed) return
        // The blobs that are left are known at the next start.
        saver.saveSoon()
        changed()
      },
    })
  const isRemembered = remembered !== undefined && remembered.keyId === options.keys?.id
  // A list that was written with another key is another list.
  let under = await open(options.keys, { isRemembered, state: isRemembered ? remembered.index : undefined })
  const our = (): KeyScope => under
  const saver = createListSaver(memory, our, announceMs, fail)
  const settled = createSettledSessions(our)
  const purges = createPurgeAnnouncements(store)
  const unreadable = createUnreadableSessions({
    retry,
    locals: () => under.locals,
    onRetried: () => {
      review()
      changed()
    },
    onError: fail,
  })
  const isListOpen = (): boolean => list.hasList() && under.gate.isOpen()

  const publisher = createListPublisher({
    our,
    purges,
    settled,
    mayPublish: () => !isPaused && under.gate.mayPublish() && !changer.isUnderWay(),
    isClosed: () => isClosed,
    onPublished: () => list.ask(),
    onAnnounced: changed,
    onError: fail,
  })

  const window = createConnectedSessions({
    store,
    transport,
    namespace,
    term,
    size,
    liveMs,
    now,
    our,
    presence,
    watched,
    failed,
    settled,
    publisher,
    purges,
    report,
    isClosed: () => isClosed,
    onReadonly: () => list.setReadonly(),
    onOpen: () => review(),
    onError: fail,
    onChange: () => {
      // What arrives is gathered like local changes, and `syncNow` waits for all of it: so it need not wait for the
      // gathering.
      if (waiting > 0 && window.pending() === 0) changes.hurry()
      changed()
    },
  })

  const eraser = createPurgeEraser({
    retry,
    erase: (key) => erasePurged(key, { our, store, term, settled, report, onErase: window.drop }),
    onRetry: () => review(),
    onDone: () => {
      review()
      changed()
    },
  })

  /** Continues with what the list says, as far as our keys allow. */
  const proceed = (): void => {
    if (under.gate.isCurrent()) return review()
    if (!list.hasList() || isClosed || changer.isUnderWay()) return
    checking = checking
      .then(() => under.gate.check())
      .then(() => review())
      .catch(fail)
      .finally(changed)
  }

  /** Finds out which sessions differ from the list, and has them exchanged, with those to retry. */
  const reviews = createBatchedReviews((again) => {
    unreadable.note()
    if (isPaused || isClosed || !isListOpen() || !under.locals.isLoaded()) return false
    const { index, locals, gate } = under
    window.dropStale()
    const record = gate.record()
    // The record comes first, so that a device with another key learns why it cannot read the rest. This changes the
    // list, and with it comes another review.
    if (record !== undefined && !index.marks().records.some((one) => sameContent(one, record))) {
      index.addRecord(record).then(list.ask, fail)
      return false
    }
    void publisher.announcePurges()
    const plan = planSync(locals, index.entries())
    // Among peers, a session that the list does not name can't be opened.
    if (transport.onAsked !== undefined)
      for (const key of plan.upload) publisher.publishSoon(locals.all.get(key)!).catch(fail)
    eraser.erase(plan.erase.filter((key) => !settled.has(key)))
    const unconnected = [...watched.keys(), ...(presence?.streaming() ?? [])].filter(
      (key) => !window.isOpen(key) && !failed.has(key) && window.state(key) !== 'oversized',
    )
    // A session that was erased in the meantime has no state.
    const retried = again.filter((key) => window.state(key) !== 'unknown')
    for (const key of retried) settled.delete(key)
    for (const key of doubted) if (settled.has(key) || !locals.all.has(key)) doubted.delete(key)
    window.add(
      nextExchanges({
        our: under,
        plan,
        settled,
        pending: [...unconnected, ...retried, ...[...doubted].filter((key) => !failed.has(key))],
        purges,
        isUnreported: publisher.isUnreported,
      }),
    )
    requested.serve()
    window.closeIdle()
    return true
  }, changed)
  const review = reviews.request

  const requested = createRequestedSessions({
    transport,
    namespace,
    our,
    mayServe: () => !isPaused && !isClosed && isListOpen(),
    serve: window.serve,
  })
  /** How many callers wait in `syncNow`. */
  let waiting = 0
  const changes = createLocalChanges({
    gatherMs: announceMs,
    retry,
    our,
    window,
    purges,
    presence,
    onChangesKnown: () => {
      review()
      changed()
    },
    onPurgesKnown: () => {
      // The server has to remove it, whatever was exchanged before, even if the list does not change.
      for (const { key } of purges.all()) settled.delete(key)
      void publisher.announcePurges()
      review()
      changed()
    },
    onError: fail,
    onChange: changed,
  })

  const list = createListConnection({
    transport,
    namespace,
    retry,
    index: () => under.index,
    loaded: () => loading,
    isClosed: () => isClosed,
    onRefused: (reason) => report.quarantine('', [{ reason }]),
    onList: async () => {
      proceed()
      await checking
      changed()
    },
    onUp: () => goUp(),
    onLost: () => {
      settled.clear()
      failed.clear()
      eraser.clear()
      under.blobs.pause()
      void window.stop()
    },
    onSetBack: () => {
      settled.clear()
      for (const key of under.locals.all.keys()) doubted.add(key)
      review()
    },
    onCame: () => {
      settled.clear()
      review()
    },
    onChange: changed,
  })
  /** The other side can be reached. While sync is paused, only the list is exchanged. */
  const goUp = (): void => {
    if (isPaused) return
    if (under.gate.found()?.isRight !== false) window.start()
    under.blobs.retry(leftBlobs)
    leftBlobs = []
  }
  const release = async (): Promise<void> => {
    const over = list.close()
    changed()
    await Promise.all([over, window.stop()])
  }

  /** Starts again with these keys. */
  const continueWith = async (next: SyncKeys | undefined): Promise<void> => {
    const { keys, blobs, index } = under
    const left = blobs.open()
    // What was published and not sent. A change of keys has sent it already.
    const state = next === keys ? encodeStateAsUpdate(index.doc) : undefined
    blobs.close()
    under = await open(next, { state, before: blobs.counts() })
    leftBlobs = left
    index.doc.destroy()
    if (isClosed) return under.blobs.close()
    loading = changes.start()
    await loading
  }
  const changer = createKeyChanger({
    store,
    transport,
    namespace,
    now,
    retry,
    ...term,
    keys: () => under.keys,
    isClosed: () => isClosed,
    release: async () => {
      await Promise.all([release(), loading, checking, publisher.done()])
      return encodeStateAsUpdate(under.index.doc)
    },
    continueWith: (next) => continueWith(next).catch(fail),
    onEnd: () => {
      if (!isClosed && !isPaused) list.open()
      changed()
    },
  })

  let leftBlobs = remembered?.blobs ?? []
  const unfollow = follow(changes.handle)
  let loading = changes.start()
  if (!isPaused) list.open()

  const isIdle = (): boolean =>
    isListOpen() &&
    !reviews.isPending() &&
    window.pending() === 0 &&
    !under.locals.isStale() &&
    !changes.isWaiting() &&
    !eraser.isErasing() &&
    !purges.isLoading() &&
    !publisher.isAnnouncing() &&
    (list.isSent() || list.link().state === 'readonly')
  /**
   * A server has every session, so one that it does not serve is not the same on both sides. Among peers, it may just
   * be open nowhere.
   */
  const unreached = (): string | undefined => {
    const key = transport.onAsked === undefined ? failed.first() : undefined
    return key !== undefined && window.state(key) === 'waiting'
      ? `Session "${key}": the other side cannot be reached. Sync retries by itself.`
      : undefined
  }
  const status = (): SyncStatus => ({
    ...stateOf({
      isClosed,
      isPaused,
      isChangingKeys: changer.isUnderWay(),
      check: under.gate.found(),
      link: list.standing(),
      isFailing: changes.isFailing(),
      isIdle,
      stuck: unreadable.trouble() ?? eraser.trouble() ?? unreached(),
      sessions: window.states(),
      lastError,
    }),
    pending: window.pending(),
    progress: window.progress(),
    report: report.now(under.blobs.counts()),
  })
  const obstacle = (signal: AbortSignal | undefined): SessionError | undefined => {
    const found = under.gate.found()
    const link = list.link()
    if (signal?.aborted === true) return new SessionError('Aborted', 'The wait for sync was aborted. Sync continues.')
    if (isClosed) return new SessionError('StorageClosed', 'Sync was closed.')
    if (found?.isRight === false && under.gate.isCurrent() && !changer.isUnderWay())
      return new SessionError('WrongPassphrase', found.message)
    return link.state === 'denied'
      ? new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`)
      : undefined
  }
  const until = (isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> =>
    waitUntil(isSo, { subscribe, obstacle: () => obstacle(signal), signal })
  /** While sync is paused nothing is exchanged, however long a caller waits. */
  const untilIdle = (signal: AbortSignal | undefined): Promise<void> =>
    waitUntil(isIdle, {
      subscribe,
      obstacle: () =>
        obstacle(signal) ??
        (isPaused ? new SessionError('Aborted', 'Sync was paused meanwhile: resume it, and try again.') : undefined),
      signal,
    })

  return {
    status,
    session: window.state,
    states: () => Object.fromEntries(window.states()),
    sessions: () => newestFirst([...under.index.entries().values()].filter((entry) => !isGone(entry))),
    presence: (key) => presence?.peers(key) ?? nobody,
    presences: () => presence?.all() ?? {},
    setTyping: (key, isTyping) => {
      if (!isClosed) presence?.setTyping(key, isTyping)
    },
    watch: (key) => (isClosed ? () => undefined : watched.watch(key)),
    subscribe,
    plan: async (signal) => {
      if (!list.isOpen() && !isClosed && !changer.isUnderWay()) list.open()
      await until(isListOpen, signal)
      await under.locals.refresh()
      return planSync(under.locals, under.index.entries())
    },
    syncNow: async (signal) => {
      if (isPaused) throw new SessionError('InvalidInput', 'Sync is paused: resume it first.')
      list.retry()
      await loading
      // Sessions that could not be read or were refused before are retried.
      under.locals.retry()
      await Promise.all([under.locals.refresh(), purges.load()])
      settled.clear()
      if (list.isUp()) under.blobs.retry()
      review(failed.take())
      waiting += 1
      changes.hurry()
      await untilIdle(signal).finally(() => (waiting -= 1))
      return status()
    },
    unsent: async () => {
      if (isClosed) throw new SessionError('StorageClosed', 'Sync was closed.')
      await loading
      return findUnsent({ store, our: under, window, settled, publisher, purges, leftBlobs })
    },
    pause: async () => {
      isPaused = true
      await release()
    },
    resume: () => {
      if (!isPaused || isClosed) return
      isPaused = false
      if (changer.isUnderWay()) return changed()
      // What was exchanged when sync was paused may not have been published.
      settled.clear()
      if (!list.isOpen()) list.open()
      else if (list.isUp()) goUp()
      review()
      changed()
    },
    retry: list.retry,
    drop: list.drop,
    changeKeys: changer.change,
    close: async () => {
      if (isClosed) return
      isClosed = true
      const ending = changer.stop()
      under.blobs.close()
      unfollow()
      requested.close()
      watched.close()
      changes.close()
      reviews.close()
      unreadable.close()
      const saved = saver.saveNow()
      changed()
      await Promise.allSettled([ending, saved, list.close(), loading, checking, eraser.close(), window.stop()])
      presence?.close()
    },
  }
}

const nobody: readonly PeerState[] = Object.freeze([])
