import type { CoreBackend } from '../src/contract/backend.ts'
import type { ChangeSink, SessionChange } from '../src/contract/change.ts'
import { foldTails } from '../src/mirror/fold-tails.ts'
import { type Journal, journalCommits } from '../src/mirror/journal-commits.ts'
import type { WakeWatch } from '../src/mirror/wake-watch.ts'
import type { Engine } from '../src/storage/engine/engine.ts'
import { announceReload } from '../src/storage/engine/writing/announce-reload.ts'
import { type ArriveAnswered, createArrival } from '../src/storage/engine/writing/arrive-answered.ts'
import type { DatabaseFacts } from '../src/storage/indexeddb/core-backend.ts'
import type { JournalMarks } from '../src/storage/indexeddb/journal-marks.ts'
import { createRandomInteger, fillRandom } from '../src/storage/random-integer.ts'
import type { MirrorHere } from './open-mirror-here.ts'

/** The journal of a session worker, which answers writes before the database has them. */
export interface OpenJournal extends Journal<CoreBackend> {
  /** Takes note of what others announce. */
  readonly hear: ChangeSink
}

/** What answered entries arrive through, in a worker with a journal and in one without. */
export interface Arrivals {
  readonly arrive: ArriveAnswered
  /** The store's engine, and its journal if there is one, hear from now on what arrived. */
  join(engine: Pick<Engine, 'list' | 'writer'>, journal?: Pick<OpenJournal, 'noteNews'>): void
}

/** @param add - announces to the page and to other tabs what arrived */
export function openArrivals(backend: CoreBackend, add: ChangeSink): Arrivals {
  let [engine, journal]: Partial<Parameters<Arrivals['join']>> = []
  function announce(change: SessionChange): void {
    journal?.noteNews(change.key)
    engine?.list.set(change)
    engine?.writer.forget(change.key)
    add(change)
  }
  return {
    arrive: createArrival({
      backend,
      now: Date.now,
      randomInteger: createRandomInteger(fillRandom),
      onArrived: (plan, rows) => announce(announceReload(rows, plan)),
      // Later than everything that was announced of it, so that no list keeps it.
      onGone: ({ key, session }, newest) =>
        announce({ type: 'session', key, session, version: newest + 1, rows: [], reload: true }),
    }),
    join: (...parts) => {
      engine = parts[0]
      journal = parts[1]
    },
  }
}

/** Stores everything that workers answered before they died. Never rejects: the next start tries again. */
export async function storeTails(
  backend: CoreBackend & DatabaseFacts & JournalMarks,
  { folder }: Pick<NonNullable<MirrorHere['open']>, 'folder'>,
  { arrive }: Pick<Arrivals, 'arrive'>,
  add: ChangeSink,
): Promise<void> {
  await foldTails({ backend, folder, epoch: backend.epoch, arrive }).catch((error: unknown) =>
    add({
      type: 'notice',
      name: 'degraded',
      message: `What another tab stored last could not be read yet; the next start tries again. ${(error as Error).message}`,
    }),
  )
}

export interface JournalPlace {
  readonly mirror: NonNullable<MirrorHere['open']>['mirror']
  readonly arrivals: Pick<Arrivals, 'arrive'>
  readonly tellWaiting: MirrorHere['tellWaiting']
  /** Announces to the page and to other tabs. */
  readonly add: ChangeSink
  /** Begins to watch the workers of other tabs. @returns a function that ends it */
  readonly watch: () => () => void
  readonly wake: WakeWatch
  /** How long answered writes wait for others before the database gets them, in milliseconds. */
  readonly foldMs?: number
}

export function openJournal(
  backend: CoreBackend & Pick<JournalMarks, 'listJournals'>,
  { mirror, arrivals, tellWaiting, add, watch, wake, ...options }: JournalPlace,
): OpenJournal {
  const stopWatching = watch()
  /** Its frames are plain. Another tab may encrypt the store, and the database alone knows of it in time. */
  let isSealed = false
  const journal = journalCommits<CoreBackend>(backend, mirror, {
    ...options,
    now: Date.now,
    isUpToDate: () => !isSealed && wake.isAwake(),
    arrive: arrivals.arrive,
    onHealth: (error) => {
      tellWaiting(error === undefined ? undefined : journal.lag())
      add(
        error === undefined
          ? { type: 'notice', name: 'recovered', message: 'The database has everything that only the journal had.' }
          : {
              type: 'notice',
              name: 'degraded',
              message: `The database takes nothing for now: ${(error as Error).message} What was stored since is in the journal, and is tried again.`,
            },
      )
    },
  })
  return {
    ...journal,
    backend: {
      ...journal.backend,
      close: async () => {
        wake.close()
        await journal.backend.close()
        stopWatching()
      },
    },
    hear: (change) => {
      if (change.type === 'session') journal.noteNews(change.key)
      else if (change.type === 'notice' && change.name === 'keysChanged') isSealed = true
    },
  }
}
