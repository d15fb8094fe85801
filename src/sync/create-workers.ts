import { encodeStateAsUpdate } from 'yjs'
import { type ConnectedSessions, createConnectedSessions } from './connected-sessions.ts'
import { erasePurged } from './erase-purged.ts'
import { createFirstLoad } from './first-load.ts'
import { createKeyChanger, type KeyChanger } from './key-changer.ts'
import { createKeyChecks } from './key-checks.ts'
import { createListConnection } from './list-connection.ts'
import { createLocalChanges, type LocalChanges } from './local-changes.ts'
import { createListPublisher, type ListPublisher } from './publish-list.ts'
import { createPurgeEraser, type PurgeEraser } from './purge-eraser.ts'
import { createListSaver } from './save-list.ts'
import { sessionsHere } from './sessions-here.ts'
import { failure, type SyncGround, type SyncTables, type SyncWorkers } from './sync-parts.ts'

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
    keyChanger: openKeyChanger(ground, tables, [
      firstLoad.done,
      keyChecks.done,
      publisher.done,
      eraser.close,
      tables.purges.load,
    ]),
    saver: createListSaver(
      setup.memory,
      scopes.current,
      () => driver.state().leftBlobs,
      setup.announceMs,
      failure(driver),
    ),
  }
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
  { settled, report, received }: SyncTables,
  window: ConnectedSessions,
): PurgeEraser {
  return createPurgeEraser({
    retry,
    erase: (key) =>
      erasePurged(key, { our: scopes.current, store, term, settled, report, received, onErase: window.drop }),
    onRetry: () => void driver.send({ type: 'reviewNeeded' }),
    onDone: () => void driver.send({ type: 'erasingDone' }),
  })
}

/** @param underWay - what has to end before the keys can be changed */
function openKeyChanger(
  { setup, driver, scopes }: SyncGround,
  { purges, received, report }: SyncTables,
  underWay: readonly (() => Promise<unknown>)[],
): KeyChanger {
  const { store, transport, namespace, now, retry, term } = setup
  return createKeyChanger({
    store,
    here: sessionsHere({ our: scopes.current, store, term, purges, received, report }),
    transport,
    namespace,
    now,
    retry,
    ...term,
    keys: () => scopes.current().keys,
    isClosed: () => driver.state().isClosed,
    onBegin: async () => {
      const begun = await Promise.allSettled([
        driver.send({ type: 'keyChangeBegan' }),
        ...underWay.map((done) => done()),
      ])
      for (const one of begun) if (one.status === 'rejected') throw one.reason
      return encodeStateAsUpdate(scopes.current().index.doc)
    },
    continueWith: (next) => scopes.take(next).catch(failure(driver)),
    onEnd: () => void driver.send({ type: 'keyChangeEnded' }),
  })
}
