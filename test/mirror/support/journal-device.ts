import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { CoreBackend, StorageBackend } from '../../../src/contract/backend.ts'
import type { StoreChange } from '../../../src/contract/change.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import type { JournalLag } from '../../../src/contract/journal.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { SessionErasure } from '../../../src/contract/write-batch.ts'
import { keepMirror } from '../../../src/mirror/keep-mirror.ts'
import { mirrorName } from '../../../src/mirror/mirror-names.ts'
import { openMirror } from '../../../src/mirror/open-mirror.ts'
import { createWakeWatch } from '../../../src/mirror/wake-watch.ts'
import { createCoreStore } from '../../../src/storage/core-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createJobMethods } from '../../../src/storage/engine/upkeep/job-methods.ts'
import { repairRows } from '../../../src/storage/engine/upkeep/repair-rows.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { type OpenJournal, openArrivals, openJournal, storeTails } from '../../../worker/open-journal.ts'
import { createTabNews } from '../../../worker/tab-news.ts'
import { createMemoryFolder, type MemoryFolder } from './memory-folder.ts'

/** A tab whose worker answers from its journal. */
export interface JournalTab {
  readonly store: SessionStore
  readonly journal: OpenJournal
  /** The worker dies: nothing that it began goes on. */
  die(): void
  /** Transactions of this worker fail from now on, or go through again; with a key only those that write to it. */
  fail(isFailing: boolean, key?: string): void
  /** From now on, the disk takes nothing more: only what erases goes through. */
  fill(): void
  /** Does something when the next transaction has begun, which goes on. */
  atNextTransaction(act: () => void): void
  /** What the worker told its page to be only in the journal. */
  readonly waits: readonly (JournalLag | undefined)[]
  /** How many transactions the worker made. */
  transactions(): number
}

/** A browser in which workers with journals start and die. */
export interface JournalDevice {
  readonly folder: MemoryFolder
  /** Compares the database with the mirror. */
  keep(): Promise<void>
  /** All workers die and the database is lost. @returns a store that was filled from the mirror */
  restored(): Promise<SessionStore>
  readonly indexedDB: IDBFactory
  /** @param refused - the database refuses what is written to the session with this key */
  open(refused?: string): Promise<JournalTab>
  /** Resolves when the database has everything that was answered, and every tab has heard of it. */
  settled(): Promise<void>
  /** A store on the database that knows nothing of journals. */
  bare(): Promise<SessionStore>
  /** Like `settled`, without waiting for this tab. */
  settledBut(tab: JournalTab): Promise<void>
  /** Like `settled`, for all tabs but this one; `undefined` when there is nothing to wait for. */
  othersSettled(tab: JournalTab): Promise<void> | undefined
}

/** @param foldMs - how long the journals wait for more, for each tab anew */
export function createJournalDevice(name: string, foldMs: () => number = () => 5): JournalDevice {
  const indexedDB = new IDBFactory()
  const folder = createMemoryFolder()
  const tabs = new Set<JournalTab>()
  const listeners = new Map<string, Set<(change: StoreChange) => void>>()
  let boots = 0
  const open = (): ReturnType<typeof openIndexedDbBackend> => openIndexedDbBackend({ name, indexedDB, IDBKeyRange })

  /** Compares a database with the mirror. @returns a store on it */
  async function keep(backend: StorageBackend, epoch: string): Promise<SessionStore> {
    const boot = `boot${boots++}`
    const mirror = openMirror({ folder, epoch, boot }, () => undefined)
    const store = createSessionStore(backend)
    await keepMirror({ backend, epoch, store, folder, mirror, own: mirrorName({ epoch, boot }), boot: `joined${boot}` })
    await mirror.close()
    return store
  }

  return {
    folder,
    indexedDB,
    bare: async () => createSessionStore(await open()),
    keep: async () => {
      const backend = await open()
      await keep(backend, backend.epoch)
      await backend.close()
    },
    restored: async () => {
      for (const tab of tabs) tab.die()
      folder.dieAll()
      return keep(createMemoryBackend(), 'f')
    },
    settledBut: async (left) => {
      for (const tab of tabs) if (tab !== left) await indexed(tab)
      await heardOf()
    },
    settled: async () => {
      for (const tab of tabs) await indexed(tab)
      await heardOf()
    },
    othersSettled: (tab) => {
      const busy = [...tabs].filter((one) => one !== tab && one.journal.lag() !== undefined)
      return busy.length === 0 ? undefined : Promise.all(busy.map(indexed)).then(heardOf)
    },
    open: async (refused) => {
      const real = await open()
      let isDead = false
      let isFailing = refused !== undefined
      let failingKey = refused
      let isFull = false
      let transactions = 0
      let atNext: (() => void) | undefined
      const isOver = new SessionError('StorageUnavailable', 'The worker is dead.')
      const backend = {
        ...real,
        commit: (async (batch, durability) => {
          if (isDead) throw isOver
          const isMeant = failingKey === undefined || batch.sessions.some(({ hot }) => hot.key === failingKey)
          if (isFailing && isMeant)
            throw new SessionError('StorageUnavailable', 'The database is gone for a while. Try again.')
          const puts = batch.sessions.length > 0 || batch.journal !== undefined || batch.erase.some(isReported)
          if (isFull && puts) throw new SessionError('QuotaExceeded', 'The disk is full. Free some room.')
          transactions += 1
          const act = atNext
          atNext = undefined
          act?.()
          const outcome = await real.commit(batch, durability)
          // Its answer reaches nobody. It settles nevertheless, so that the dead worker can be cleared away.
          if (isDead) throw isOver
          return outcome
        }) satisfies CoreBackend['commit'],
      }
      const boot = `boot${boots++}`
      const mirror = openMirror({ folder, epoch: real.epoch, boot }, () => undefined)
      await mirror.hasRoom()
      const waits: (JournalLag | undefined)[] = []
      const news = createTabNews((change) => {
        if (isDead) return
        for (const [other, sinks] of listeners) if (other !== boot) for (const sink of sinks) sink(change)
      })
      const announce = (change: StoreChange): void => news.add([change])
      const arrivals = openArrivals(backend, announce)
      await storeTails(backend, { folder }, arrivals, announce)
      const journal = openJournal(backend, {
        mirror,
        arrivals,
        tellWaiting: (waiting) => waits.push(waiting),
        add: announce,
        watch: () => () => undefined,
        // A machine that stands still for a second is no worker that slept.
        wake: createWakeWatch(() => 0),
        foldMs: foldMs(),
      })
      news.follow(journal)
      const sinks = new Set<(change: StoreChange) => void>()
      const store = createCoreStore(
        journal.backend,
        {
          onChange: announce,
          isFreshOperation: (id) => id.startsWith(`${boot}.`),
          follow: (listener) =>
            void sinks.add((change) => {
              journal.hear(change)
              listener(change)
            }),
        },
        (engine) => {
          arrivals.join(engine, journal)
          return createJobMethods(engine, { ...backend, ...engine.backend })
        },
        (key, now) => repairRows(real, key, now),
      )
      const tab: JournalTab = {
        store: relaxedByDefault(store),
        journal,
        die: () => {
          isDead = true
          void journal.backend.close()
          tabs.delete(tab)
          listeners.delete(boot)
        },
        fail: (given, key) => {
          isFailing = given
          failingKey = key
        },
        fill: () => void (isFull = true),
        transactions: () => transactions,
        atNextTransaction: (act) => void (atNext = act),
        waits,
      }
      tabs.add(tab)
      listeners.set(boot, sinks)
      return tab
    },
  }
}

/** Whether an erasure is remembered, which needs room. */
const isReported = ({ vector, call }: SessionErasure): boolean => vector !== undefined || call !== undefined

/** Only relaxed writes are answered early, and most tests say nothing of durability. */
function relaxedByDefault(store: SessionStore): SessionStore {
  const relaxed = { durability: 'relaxed' } as const
  return {
    ...store,
    append: (key, entries, options) => store.append(key, entries, { ...relaxed, ...options }),
    addMessage: (key, role, content, options) => store.addMessage(key, role, content, { ...relaxed, ...options }),
    addFullMessage: (key, message, options) => store.addFullMessage(key, message, { ...relaxed, ...options }),
  }
}

/** Resolves when the database has what this tab's worker answered. Begins nothing. */
async function indexed({ journal }: JournalTab): Promise<void> {
  while (journal.lag() !== undefined) await journal.nextFold()
}

/** Lets the tabs hear what was just announced. */
const heardOf = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
