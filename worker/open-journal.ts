import type { CoreBackend } from '../src/contract/backend.ts'
import type { ChangeSink } from '../src/contract/change.ts'
import { foldTails } from '../src/mirror/fold-tails.ts'
import { type Journal, journalCommits } from '../src/mirror/journal-commits.ts'
import { createWakeWatch } from '../src/mirror/wake-watch.ts'
import type { Engine } from '../src/storage/engine/engine.ts'
import { announceArrived } from '../src/storage/engine/writing/announce-arrived.ts'
import { createArrival } from '../src/storage/engine/writing/arrive-answered.ts'
import type { DatabaseFacts } from '../src/storage/indexeddb/core-backend.ts'
import type { JournalMarks } from '../src/storage/indexeddb/journal-marks.ts'
import { createRandomInteger, fillRandom } from '../src/storage/random-integer.ts'
import type { Announcer } from './announce-changes.ts'
import type { MirrorHere } from './open-mirror-here.ts'

/** The journal of a session worker, which answers writes before the database has them. */
export interface OpenJournal extends Journal<CoreBackend> {
  /** The store's engine, which hears from now on what arrived in its sessions. */
  join(engine: Pick<Engine, 'list' | 'writer'>): void
  /** Takes note of what others announce. */
  readonly hear: ChangeSink
}

/**
 * Opens the journal, after everything that workers answered before they died is in the database.
 *
 * @param announcer - announces changes to the page and to other tabs
 * @param foldMs - how long answered writes wait for others before the database gets them
 */
export async function openJournal(
  backend: CoreBackend & DatabaseFacts & JournalMarks,
  { mirror, folder }: Pick<NonNullable<MirrorHere['open']>, 'mirror' | 'folder'>,
  { add, announceMirror }: Pick<Announcer, 'add' | 'announceMirror'>,
  foldMs?: number,
): Promise<OpenJournal> {
  let joined: Pick<Engine, 'list' | 'writer'> | undefined
  let journal: Journal<CoreBackend> | undefined
  const arrive = createArrival({
    backend,
    now: Date.now,
    randomInteger: createRandomInteger(fillRandom),
    onArrived: (plan, rows) => {
      const change = announceArrived(plan, rows)
      journal?.noteNews(change.key)
      joined?.list.set(change.key, change.version, change.listing)
      joined?.writer.forget(change.key)
      add(change)
    },
    // Later than everything that was announced of it, so that no list keeps it.
    onGone: (key, newest) => {
      const change = { type: 'session', key, version: newest + 1, rows: [], reload: true } as const
      joined?.list.set(key, change.version, undefined)
      joined?.writer.forget(key)
      add(change)
    },
  })
  await foldTails({ backend, folder, epoch: backend.epoch, arrive }).catch((error: unknown) =>
    add({
      type: 'notice',
      name: 'degraded',
      message: `What another tab stored last could not be read yet; the next start tries again. ${(error as Error).message}`,
    }),
  )
  const onHealth = (error: unknown): void => {
    const waiting = journal?.lag()
    announceMirror({ isOn: mirror.isOn(), ...(error !== undefined && waiting && { waiting }) })
    add(
      error === undefined
        ? { type: 'notice', name: 'recovered', message: 'The database has everything that only the journal had.' }
        : {
            type: 'notice',
            name: 'degraded',
            message: `The database takes nothing for now: ${(error as Error).message} What was stored since is in the journal, and is tried again.`,
          },
    )
  }
  const watch = createWakeWatch(Date.now)
  journal = journalCommits<CoreBackend>(backend, mirror, {
    now: Date.now,
    isUpToDate: watch.isAwake,
    arrive,
    onHealth,
    ...(foldMs === undefined ? {} : { foldMs }),
  })
  const { noteNews, noteErasure } = journal
  const close = async (): Promise<void> => {
    watch.close()
    await journal?.backend.close()
  }
  return {
    ...journal,
    backend: { ...journal.backend, close },
    join: (engine) => {
      joined = engine
    },
    hear: (change) => {
      if (change.type === 'session') (change.listing === undefined ? noteErasure : noteNews)(change.key)
    },
  }
}
