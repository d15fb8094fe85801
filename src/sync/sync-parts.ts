import { encodeStateAsUpdate } from 'yjs'
import type { TermOptions } from '../contract/term.ts'
import { type ConnectedSessions, createConnectedSessions } from './connected-sessions.ts'
import { erasePurged } from './erase-purged.ts'
import { createFailedSessions, type FailedSessions } from './failed-sessions.ts'
import { createFirstLoad, type FirstLoad } from './first-load.ts'
import { createKeyChanger, type KeyChanger } from './key-changer.ts'
import { createKeyChecks, type KeyChecks } from './key-checks.ts'
import type { KeyScopes } from './key-scopes.ts'
import { createListConnection, type ListConnection } from './list-connection.ts'
import { createLocalChanges, type LocalChanges } from './local-changes.ts'
import type { Presence } from './presence/create-presence.ts'
import { createListPublisher, type ListPublisher } from './publish-list.ts'
import { createPurgeAnnouncements, type PurgeAnnouncements } from './purge-announcements.ts'
import { createPurgeEraser, type PurgeEraser } from './purge-eraser.ts'
import { createReport, type Reporter } from './report.ts'
import type { RetryOptions } from './retry-wait.ts'
import { createListSaver, type ListSaver } from './save-list.ts'
import { createSettledSessions, type SettledSessions } from './settled-sessions.ts'
import type { SyncOptions } from './sync-contract.ts'
import type { SyncDriver } from './sync-driver.ts'
import type { SyncMemory } from './sync-memory.ts'
import { createUnreadableSessions, type UnreadableSessions } from './unreadable-sessions.ts'
import { createWatchedSessions, type WatchedSessions } from './watched-sessions.ts'

/** Options of sync, with their defaults. */
export interface SyncSetup extends Pick<SyncOptions, 'store' | 'transport' | 'namespace' | 'follow'> {
  readonly memory: SyncMemory | undefined
  readonly term: TermOptions
  readonly size: number
  readonly liveMs: number
  readonly announceMs: number
  readonly retry: RetryOptions
  readonly now: () => number
}

/** What every part works with: it reports what happens to the driver, and never to another part. */
export interface SyncGround {
  readonly setup: SyncSetup
  readonly driver: SyncDriver
  readonly scopes: KeyScopes
  readonly presence: Presence | undefined
}

/** What is known of single sessions. Each table is cleared by one command. */
export interface SyncTables {
  readonly report: Reporter
  readonly watched: WatchedSessions
  readonly failed: FailedSessions
  readonly settled: SettledSessions
  readonly purges: PurgeAnnouncements
  readonly unreadable: UnreadableSessions
  /** Sessions that have to be exchanged once more although the list says that both sides have the same. */
  readonly doubted: Set<string>
}

/** What does the work: all that has clocks, connections or anything under way. */
export interface SyncWorkers {
  readonly publisher: ListPublisher
  readonly window: ConnectedSessions
  readonly eraser: PurgeEraser
  readonly changes: LocalChanges
  readonly firstLoad: FirstLoad
  readonly list: ListConnection
  readonly keyChecks: KeyChecks
  readonly keyChanger: KeyChanger
  readonly saver: ListSaver
}

export interface SyncParts extends SyncGround, SyncTables, SyncWorkers {}

export function createSyncTables({ setup, driver, scopes }: SyncGround): SyncTables {
  const { store, retry } = setup
  return {
    report: createReport(),
    watched: createWatchedSessions({
      onChange: (key, isWatched) => void driver.send({ type: 'watched', key, isWatched }),
    }),
    failed: createFailedSessions({ retry, onRetry: (keys) => void driver.send({ type: 'retryDue', keys }) }),
    settled: createSettledSessions(scopes.current),
    purges: createPurgeAnnouncements(store),
    unreadable: createUnreadableSessions({
      retry,
      locals: () => scopes.current().locals,
      onRetried: () => void driver.send({ type: 'sessionsReread' }),
      onError: failure(driver),
    }),
    doubted: new Set(),
  }
}

export function createSyncWorkers(ground: SyncGround, tables: SyncTables): SyncWorkers {
  const { setup, driver, scopes } = ground
  const publisher = openPublisher(ground, tables)
  const window = openWindow(ground, tables, publisher)
  const changes = openChanges(ground, tables, window)
  const firstLoad = createFirstLoad(changes.start)
  const keyChecks = createKeyChecks(driver, scopes)
  const eraser = openEraser(ground, tables, window)
  return {
    publisher,
    window,
    eraser,
    changes,
    firstLoad,
    keyChecks,
    list: createListConnection({
      transport: setup.transport,
      namespace: setup.namespace,
      retry: setup.retry,
      index: () => scopes.current().index,
      loaded: firstLoad.done,
      isClosed: () => driver.state().isClosed,
      emit: driver.send,
    }),
    keyChanger: openKeyChanger(ground, [firstLoad.done, keyChecks.done, publisher.done]),
    saver: createListSaver(setup.memory, scopes.current, setup.announceMs, failure(driver)),
  }
}

/** Reports what went wrong. */
export function failure({ send }: SyncDriver): (error: unknown) => void {
  return (error) => void send({ type: 'failed', message: (error as Error).message })
}

function openPublisher({ driver, scopes }: SyncGround, { purges, settled }: SyncTables): ListPublisher {
  return createListPublisher({
    our: scopes.current,
    purges,
    settled,
    mayPublish: () => {
      const { isPaused, isChangingKeys } = driver.state()
      return !isPaused && !isChangingKeys && scopes.current().gate.mayPublish()
    },
    isClosed: () => driver.state().isClosed,
    onPublished: () => void driver.send({ type: 'published' }),
    onAnnounced: () => void driver.send({ type: 'purgesAnnounced' }),
    onError: failure(driver),
  })
}

function openWindow(
  { setup, driver, scopes, presence }: SyncGround,
  tables: SyncTables,
  publisher: ListPublisher,
): ConnectedSessions {
  return createConnectedSessions({
    ...setup,
    ...tables,
    our: scopes.current,
    presence,
    publisher,
    isClosed: () => driver.state().isClosed,
    onReadonly: () => void driver.send({ type: 'readonlyFound' }),
    onOpen: () => void driver.send({ type: 'reviewNeeded' }),
    onError: failure(driver),
    onChange: () => void driver.send({ type: 'windowMoved' }),
  })
}

function openChanges(
  { setup, driver, scopes, presence }: SyncGround,
  { purges }: SyncTables,
  window: ConnectedSessions,
): LocalChanges {
  return createLocalChanges({
    gatherMs: setup.announceMs,
    retry: setup.retry,
    our: scopes.current,
    window,
    purges,
    presence,
    onChangesKnown: () => void driver.send({ type: 'changesKnown' }),
    onPurgesKnown: () => void driver.send({ type: 'purgesKnown' }),
    onError: failure(driver),
    onChange: () => void driver.send({ type: 'storeMoved' }),
  })
}

function openEraser(
  { setup: { store, term, retry }, driver, scopes }: SyncGround,
  { settled, report }: SyncTables,
  window: ConnectedSessions,
): PurgeEraser {
  return createPurgeEraser({
    retry,
    erase: (key) => erasePurged(key, { our: scopes.current, store, term, settled, report, onErase: window.drop }),
    onRetry: () => void driver.send({ type: 'reviewNeeded' }),
    onDone: () => void driver.send({ type: 'erasingDone' }),
  })
}

/** @param underWay - what has to end before the keys can be changed */
function openKeyChanger(
  { setup, driver, scopes }: SyncGround,
  underWay: readonly (() => Promise<unknown>)[],
): KeyChanger {
  const { store, transport, namespace, now, retry, term } = setup
  return createKeyChanger({
    store,
    transport,
    namespace,
    now,
    retry,
    ...term,
    keys: () => scopes.current().keys,
    isClosed: () => driver.state().isClosed,
    onBegin: async () => {
      await Promise.all([driver.send({ type: 'keyChangeBegan' }), ...underWay.map((done) => done())])
      return encodeStateAsUpdate(scopes.current().index.doc)
    },
    continueWith: (next) => scopes.take(next).catch(failure(driver)),
    onEnd: () => void driver.send({ type: 'keyChangeEnded' }),
  })
}
