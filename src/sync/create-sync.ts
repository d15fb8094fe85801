import { encodeStateAsUpdate } from 'yjs'
import { SessionError } from '../contract/errors.ts'
import { createAskedSessions } from './asked-sessions.ts'
import { checkNamespace } from './check-namespace.ts'
import { createConnectedSessions } from './connected-sessions.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { createFailedSessions } from './failed-sessions.ts'
import { erasePurged } from './erase-purged.ts'
import type { KeyCheck } from './key-check.ts'
import { findUnsent } from './find-unsent.ts'
import { createGatheredReviews } from './gathered-reviews.ts'
import { isGone } from './is-gone.ts'
import { createKeyChanger } from './key-changer.ts'
import { createListConnection } from './list-connection.ts'
import { createLocalChanges } from './local-changes.ts'
import { newestFirst } from './newest-first.ts'
import { nextExchanges } from './next-exchanges.ts'
import { planSync } from './plan-sync.ts'
import type { PeerState } from './presence/presence-state.ts'
import { createListRememberer } from './remember-list.ts'
import { createPurgeEraser } from './purge-eraser.ts'
import { createReport } from './report.ts'
import { sameContent } from './same-content.ts'
import { createSettledSessions } from './settled-sessions.ts'
import { stateOf } from './state-of.ts'
import type { BlobCounts, SyncStatus } from './status.ts'
import type { Sync, SyncOptions } from './sync-contract.ts'
import { createListTeller } from './tell-list.ts'
import { openUnderKey, type UnderKey } from './under-key.ts'
import { createUnreadableSessions } from './unreadable-sessions.ts'
import { createUntoldPurges } from './purge-reports.ts'
import { waitUntil } from './wait-until.ts'
import { createWatchedSessions } from './watched-sessions.ts'

/** Starts to sync. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const { store, follow, transport, namespace, memory, window: size = 32, retryMs = [1000, 30_000], liveMs = 60_000, tellMs = 300, now = Date.now, random = Math.random, presenceCodec } = options
  const term = options.term === undefined ? {} : { term: options.term }
  const retry = { first: retryMs[0], longest: retryMs[1], random }
  checkNamespace(namespace, options.keys)
  if (!Number.isInteger(size) || size < 1) throw new SessionError('InvalidInput', `window must be a whole number from 1 on, got ${String(size)}.`)

  const listeners = new Set<(what: 'sync' | 'presence') => void>()
  const report = createReport()
  let isPaused = options.paused === true
  let isClosed = false
  let lastError: string | undefined
  let checking: Promise<void> = Promise.resolve()
  /** Sessions that are to be exchanged once more though the list says that all have the same. */
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
      ...options.presence, device: options.device, store, now,
      codec: presenceCodec ?? (options.keys && (await import('./encryption/sealed-presence.ts')).sealedPresence(() => under.keys!)),
      onError: fail,
      onChange: () => changed('presence'),
      onUnseen: () => review(),
    })
  const watched = createWatchedSessions({ onDue: () => review(), onChange: (key, isWatched) => presence?.setWatched(key, isWatched) })
  const failed = createFailedSessions({ retry, onDue: (keys) => review(keys) })

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
  const open = (keys: SyncKeys | undefined, { isRemembered = false, state, before }: { isRemembered?: boolean; state?: Uint8Array | undefined; before?: BlobCounts } = {}): Promise<UnderKey> =>
    openUnderKey({
      store, transport, namespace, keys, now, isRemembered, state, before, onFound,
      isOver: () => isClosed,
      onList: () => {
        if (isClosed) return
        rememberer.soon()
        proceed()
      },
      onBlobs: () => {
        if (isClosed) return
        // What is left is known at the next start.
        rememberer.soon()
        changed()
      },
    })
  const isRemembered = remembered !== undefined && remembered.keyId === options.keys?.id
  // What was written with another key is of another list.
  let under = await open(options.keys, { isRemembered, state: isRemembered ? remembered.index : undefined })
  const our = (): UnderKey => under
  const rememberer = createListRememberer(memory, our, tellMs, fail)
  const settled = createSettledSessions(our)
  const purges = createUntoldPurges(store)
  const unreadable = createUnreadableSessions({
    retry,
    locals: () => under.locals,
    onTried: () => {
      review()
      changed()
    },
    onError: fail,
  })
  const isListOpen = (): boolean => list.hasList() && under.gate.isOpen()

  const teller = createListTeller({
    our, purges, settled,
    mayTell: () => !isPaused && under.gate.mayTell() && !changer.isUnderWay(),
    isClosed: () => isClosed,
    onSaid: () => list.ask(),
    onTold: changed,
    onError: fail,
  })

  const window = createConnectedSessions({
    store, transport, namespace, term, size, liveMs, now, our, presence, watched, failed, settled, teller, purges, report,
    isClosed: () => isClosed,
    onReadonly: () => list.setReadonly(),
    onOpen: () => review(),
    onError: fail,
    onChange: () => {
      // What came is gathered as what is said here is: whoever waits for all of it would wait for that.
      if (waiting > 0 && window.pending() === 0) changes.hurry()
      changed()
    },
  })

  const eraser = createPurgeEraser({
    retry,
    erase: (key) => erasePurged(key, { our, store, term, settled, report, onErase: window.drop }),
    onDue: () => review(),
    onDone: () => {
      review()
      changed()
    },
  })

  /** Goes on with what the list says, as far as our keys let us. */
  const proceed = (): void => {
    if (under.gate.isCurrent()) return review()
    if (!list.hasList() || isClosed || changer.isUnderWay()) return
    checking = checking.then(() => under.gate.check()).then(() => review()).catch(fail).finally(changed)
  }

  /** Looks which sessions differ from what the list says, and has them exchanged; and those that are to be tried again. */
  const reviews = createGatheredReviews((again) => {
    unreadable.note()
    if (isPaused || isClosed || !isListOpen() || !under.locals.isLoaded()) return false
    const { index, locals, gate } = under
    window.dropStale()
    const record = gate.record()
    // It comes first: whoever has another key is not to find anything that it can't read without a word. Then the list is another one, and this is called again.
    if (record !== undefined && !index.marks().records.some((one) => sameContent(one, record))) {
      index.addRecord(record).then(list.ask, fail)
      return false
    }
    void teller.tellPurges()
    const plan = planSync(locals, index.entries())
    // Among equals, nobody else could open what the list does not name.
    if (transport.onAsked !== undefined) for (const key of plan.upload) teller.publishSoon(locals.all.get(key)!).catch(fail)
    eraser.erase(plan.erase.filter((key) => !settled.has(key)))
    const unseen = [...watched.keys(), ...(presence?.streaming() ?? [])].filter((key) => !window.isOpen(key) && !failed.has(key) && window.state(key) !== 'oversized')
    // What was erased meanwhile has no state.
    const retried = again.filter((key) => window.state(key) !== 'unknown')
    for (const key of retried) settled.delete(key)
    for (const key of doubted) if (settled.has(key) || !locals.all.has(key)) doubted.delete(key)
    window.add(nextExchanges({ our: under, plan, settled, due: [...unseen, ...retried, ...[...doubted].filter((key) => !failed.has(key))], purges, isUntold: teller.isUntold }))
    asked.serve()
    window.rest()
    return true
  }, changed)
  const review = reviews.ask

  const asked = createAskedSessions({ transport, namespace, our, mayServe: () => !isPaused && !isClosed && isListOpen(), serve: window.serve })
  /** Callers of `syncNow`. */
  let waiting = 0
  const changes = createLocalChanges({
    gatherMs: tellMs, retry, our, window, purges, presence,
    onLooked: () => {
      review()
      changed()
    },
    onPurged: () => {
      // The server is to let go of it, whatever was exchanged before: it may say nothing of the session that was not said already.
      for (const { key } of purges.all()) settled.delete(key)
      void teller.tellPurges()
      review()
      changed()
    },
    onError: fail,
    onChange: changed,
  })

  const list = createListConnection({
    transport, namespace, retry,
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
      under.blobs.rest()
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
  /** There is a way. While it is paused, only the list is looked at. */
  const goUp = (): void => {
    if (isPaused) return
    if (under.gate.found()?.isRight !== false) window.start()
    under.blobs.retry(leftBlobs)
    leftBlobs = []
  }
  const letGo = async (): Promise<void> => {
    const over = list.close()
    changed()
    await Promise.all([over, window.stop()])
  }

  /** Begins anew with these keys. */
  const goOn = async (next: SyncKeys | undefined): Promise<void> => {
    const { keys, blobs, index } = under
    const left = blobs.open()
    // What was said and not sent. After a change it was sent with it.
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
    store, transport, namespace, now, retry, ...term,
    keys: () => under.keys,
    isClosed: () => isClosed,
    letGo: async () => {
      await Promise.all([letGo(), loading, checking, teller.done()])
      return encodeStateAsUpdate(under.index.doc)
    },
    goOn: (next) => goOn(next).catch(fail),
    onOver: () => {
      if (!isClosed && !isPaused) list.open()
      changed()
    },
  })

  let leftBlobs = remembered?.blobs ?? []
  const unfollow = follow(changes.hear)
  let loading = changes.start()
  if (!isPaused) list.open()

  const isIdle = (): boolean => isListOpen() && !reviews.isDue() && window.pending() === 0 && !under.locals.isStale() && !changes.isWaiting() && !eraser.isErasing() && !purges.isLoading() && !teller.isTelling() && (list.isSent() || list.link().state === 'readonly')
  /** Where a server is asked, it has every session: one that it gives no way to is not the same on both sides. Among equals, nobody may have it open. */
  const unreached = (): string | undefined => {
    const key = transport.onAsked === undefined ? failed.first() : undefined
    return key !== undefined && window.state(key) === 'waiting' ? `Session "${key}": the other side can not be reached. It is tried again.` : undefined
  }
  const status = (): SyncStatus => ({
    ...stateOf({ isClosed, isPaused, isChangingKeys: changer.isUnderWay(), check: under.gate.found(), link: list.standing(), isFailing: changes.isFailing(), isIdle, stuck: unreadable.trouble() ?? eraser.trouble() ?? unreached(), sessions: window.states(), lastError }),
    pending: window.pending(),
    progress: window.progress(),
    report: report.now(under.blobs.counts()),
  })
  const obstacle = (signal: AbortSignal | undefined): SessionError | undefined => {
    const found = under.gate.found()
    const link = list.link()
    if (signal?.aborted === true) return new SessionError('Aborted', 'Sync was not waited for any longer. It goes on.')
    if (isClosed) return new SessionError('StorageClosed', 'Sync was closed.')
    if (found?.isRight === false && under.gate.isCurrent() && !changer.isUnderWay()) return new SessionError('WrongPassphrase', found.message)
    return link.state === 'denied' ? new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`) : undefined
  }
  const until = (isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> => waitUntil(isSo, { subscribe, obstacle: () => obstacle(signal), signal })
  /** Nothing is exchanged while it is paused, however long somebody waits. */
  const untilIdle = (signal: AbortSignal | undefined): Promise<void> =>
    waitUntil(isIdle, { subscribe, obstacle: () => obstacle(signal) ?? (isPaused ? new SessionError('Aborted', 'Sync was paused meanwhile: resume it, and ask again.') : undefined), signal })

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
      // What could not be read or was refused before is tried once more.
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
      return findUnsent({ store, our: under, window, settled, teller, purges, leftBlobs })
    },
    pause: async () => {
      isPaused = true
      await letGo()
    },
    resume: () => {
      if (!isPaused || isClosed) return
      isPaused = false
      if (changer.isUnderWay()) return changed()
      // What was exchanged when it was paused may not have been told.
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
      asked.close()
      watched.close()
      changes.close()
      reviews.close()
      unreadable.close()
      const saved = rememberer.now()
      changed()
      await Promise.allSettled([ending, saved, list.close(), loading, checking, eraser.close(), window.stop()])
      presence?.close()
    },
  }
}

const nobody: readonly PeerState[] = Object.freeze([])
