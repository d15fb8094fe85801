import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { OpenOptions } from '../../../src/client/open-options.ts'
import * as later from '../../../src/client/opening/later-parts.ts'
import { openStore } from '../../../src/client/opening/open-store.ts'
import { createRecovery } from '../../../src/client/recovery/recovery.ts'
import { repairDamaged } from '../../../src/client/upkeep/repair-damaged.ts'
import { createWorkerStore } from '../../../src/client/worker/create-worker-store.ts'
import { startElsewhere } from '../../../src/client/worker/start-elsewhere.ts'
import type { StoreHelpers } from '../../../src/client/worker/store-helpers.ts'
import { openStoreJobs } from '../../../src/client/worker/store-jobs.ts'
import { openWorkerStore } from '../../../src/client/worker/worker-store.ts'
import type { OpenMessage } from '../../../src/contract/worker-protocol.ts'
import { createCoreStore } from '../../../src/storage/core-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { repairRows } from '../../../src/storage/engine/upkeep/repair-rows.ts'
import { createEphemeralStore } from '../../../src/storage/ephemeral-store.ts'
import { openCoreBackend } from '../../../src/storage/indexeddb/core-backend.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { openNatively } from '../../../src/storage/indexeddb/open-natively.ts'
import type { Announcer } from '../../../worker/announce-changes.ts'
import { followLosses } from '../../../worker/follow-losses.ts'
import type { OpenFullStore } from '../../../worker/job-host.ts'
import { repairElsewhere } from '../../../worker/repair-elsewhere.ts'
import type { OpenStore } from '../../../worker/serve-page.ts'
import { storeOptions } from '../../../worker/store-options.ts'
import {
  createPortWorker as createFilePortWorker,
  type PortWorker as FilePortWorker,
} from '../../jobs/support/port-worker.ts'
import { createPortWorker, type PortWorker } from './port-worker.ts'

/** One browser profile: everything opened in it with the same name shares a database. */
export interface Profile {
  readonly indexedDB: IDBFactory
  /** Session workers started so far. */
  readonly workers: PortWorker[]
  /** Job workers started so far. */
  readonly jobWorkers: PortWorker[]
  /** Workers that made rows again, started so far. */
  readonly repairers: FilePortWorker[]
  /** A worker for jobs with files. */
  makeFileWorker(): FilePortWorker
  /** What commits of the session worker that was started first wait for. */
  holdFirst: Promise<void> | undefined
  /** What that worker waits for when it has stored a commit, before it says so. */
  answerFirst: (() => Promise<void>) | undefined
  /** Why the page can't load the code of a store in a worker. */
  failLoading: Error | undefined
  open(options?: Pick<OpenOptions, 'name' | 'onChange' | 'timeoutMs' | 'routing'>): Promise<SessionClient>
}

/**
 * Clients over message ports, with the real hosts on the other side and a database of their own.
 *
 * @param onLoadHelpers - called when a client loads what does its jobs, which fails when this does
 */
export function createProfile(onLoadHelpers: () => void = () => undefined): Profile {
  const indexedDB = new IDBFactory()
  const workers: PortWorker[] = []
  const jobWorkers: PortWorker[] = []
  const repairers: FilePortWorker[] = []
  const openCore: OpenStore = async (request, changes) => {
    const { name, blockedAfterMs } = request
    const { onLost, wasLost } = followLosses(changes)
    const isFirst = workers.length === 1
    const backend = await openCoreBackend(
      openNatively,
      { name, blockedAfterMs, indexedDB, IDBKeyRange, onNotice: changes.add, onLost },
      () => ({}),
    )
    const held: typeof backend = {
      ...backend,
      commit: async (...given) => {
        if (isFirst) await profile.holdFirst
        const result = await backend.commit(...given)
        if (isFirst) await profile.answerFirst?.()
        return result
      },
    }
    return {
      store: createCoreStore(held, storeOptions(request, changes, wasLost), () => ({}), repairElsewhere(changes, held)),
      epoch: backend.epoch,
    }
  }
  const openFull = async (request: OpenMessage, { add }: Announcer) => {
    const { name, blockedAfterMs } = request
    const backend = await openIndexedDbBackend({ name, blockedAfterMs, indexedDB, IDBKeyRange, onNotice: add })
    return {
      store: createSessionStore(
        backend,
        storeOptions(request, { add }, () => false),
      ),
      epoch: backend.epoch,
    }
  }
  const makeIn = (made: PortWorker[], openStore: OpenStore) => (): PortWorker => {
    const worker = createPortWorker(openStore)
    made.push(worker)
    return worker
  }
  const openRepairer: OpenFullStore = async ({ name, blockedAfterMs }) => {
    const backend = await openIndexedDbBackend({ name, blockedAfterMs, indexedDB, IDBKeyRange })
    return { store: createSessionStore(backend), repairRows: (key) => repairRows(backend, key, Date.now) }
  }
  const openInPage = (): never => {
    throw new Error('These tests have no store in the page.')
  }
  const makeRepairer = (): FilePortWorker => {
    const worker = createFilePortWorker(openRepairer)
    repairers.push(worker)
    return worker
  }
  const helpers: StoreHelpers = {
    openJobs: (attempt, onChange) =>
      openStoreJobs(attempt, 'worker', makeIn(jobWorkers, openFull), openInPage, onChange),
    repairRows: (attempt, key) => repairDamaged(attempt, 'worker', makeRepairer, openInPage, key),
    openRecovery: (link) =>
      createRecovery(
        link,
        () => Promise.resolve(),
        async () => false,
      ),
    startElsewhere,
  }
  const profile: Profile = {
    holdFirst: undefined,
    failLoading: undefined,
    answerFirst: undefined,
    indexedDB,
    workers,
    jobWorkers,
    repairers,
    makeFileWorker: () => createFilePortWorker(openFull),
    open: (options = {}) =>
      openStore(
        options,
        ['worker'],
        () => (attempt) =>
          openWorkerStore(attempt, makeIn(workers, openCore), false, async () => {
            if (profile.failLoading !== undefined) throw profile.failLoading
            return (plan, first) =>
              createWorkerStore(plan, first, async () => {
                onLoadHelpers()
                return helpers
              })
          }),
        {
          load: async () => later,
          createEphemeralStore: async (onChange) => createEphemeralStore({ onChange }),
          openSearch: () => Promise.reject(new Error('These tests search nothing.')),
        },
      ),
  }
  return profile
}
