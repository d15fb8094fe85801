import type { ChangeSink } from '../src/contract/change.ts'
import { mirrorCommits } from '../src/mirror/mirror-commits.ts'
import { createWakeWatch } from '../src/mirror/wake-watch.ts'
import { createCoreStore } from '../src/storage/core-store.ts'
import { openCoreBackend } from '../src/storage/indexeddb/core-backend.ts'
import { journalMarks } from '../src/storage/indexeddb/journal-marks.ts'
import { keyringAccess } from '../src/storage/indexeddb/keyring-access.ts'
import { openNatively } from '../src/storage/indexeddb/open-natively.ts'
import type { Announcer } from './announce-changes.ts'
import { followLosses } from './follow-losses.ts'
import { forgetErased } from './forget-erased.ts'
import { onLockGone } from './life-sign.ts'
import { openArrivals, openJournal, storeTails } from './open-journal.ts'
import { openMirrorHere } from './open-mirror-here.ts'
import { type OpenSeal, openSeal } from './open-seal.ts'
import { repairElsewhere } from './repair-elsewhere.ts'
import type { OpenStore } from './serve-page.ts'
import { storeOptions } from './store-options.ts'
import { watchJournals } from './watch-journals.ts'

/** Opens the database of a page's store in this worker, for everything but jobs. */
export const openCoreStore: OpenStore = async (request, changes) => {
  const { name, blockedAfterMs, encryption } = request
  const { add, follow } = changes
  const findMirror = openMirrorHere(request, changes, true)
  const { onLost, wasLost } = followLosses(changes)
  const backend = await openCoreBackend(
    openNatively,
    { name, blockedAfterMs, canUnseal: encryption !== undefined, onNotice: add, onLost },
    (connection) => ({ ...keyringAccess(connection), ...journalMarks(connection) }),
  )
  const { state, open, tellWaiting } = await findMirror(backend.epoch)
  const seal = await openSeal(backend, request, open, add)
  const arrivals = openArrivals(seal.over(backend), add)
  const takeIn = async (): Promise<void> => open && storeTails(backend, open, arrivals, add)
  if (open?.late === undefined) await takeIn()
  else void open.late.then(takeIn, () => undefined)
  // A sealed commit depends on the keys that the database has. Without channels nobody tells what others stored.
  const { meet } = changes
  const mayAnswer = state.isOn && seal.keys === undefined && meet !== undefined
  const watch = mayAnswer ? () => watchJournals(name, meet, takeIn) : undefined
  const journal =
    open &&
    watch &&
    openJournal(backend, { ...open, arrivals, tellWaiting, add, watch, wake: createWakeWatch(Date.now) })
  if (journal !== undefined) changes.followJournal(journal)
  const placed = journal?.backend ?? seal.over(open === undefined ? backend : mirrorCommits(backend, open.mirror))
  const forget = open && forgetErased({ backend, mirror: open.mirror, journal })
  const options = storeOptions(
    request,
    {
      add,
      ...(follow && {
        follow: followAround(
          follow,
          (change) => {
            refreshKeys(seal, change)
            journal?.hear(change)
          },
          (change) => forget?.(change),
        ),
      }),
    },
    wasLost,
  )
  const store = createCoreStore(
    placed,
    // Job workers leave the replies of dead pages to this worker, which always runs.
    { ...options, onOwnerGone: onLockGone },
    (engine) => {
      arrivals.join(engine, journal)
      return {}
    },
    repairElsewhere(changes, placed),
  )
  const fold = async (): Promise<void> => placed.fold?.()
  return {
    store,
    fold,
    ...(seal.keys && { relock: seal.keys.relock }),
    epoch: backend.epoch,
    mirror: state,
    ...seal.state,
  }
}

/** Reads the keyring again when another tab changed the keys, while the old keys can still open the new ones. */
function refreshKeys({ keys }: OpenSeal, change: Parameters<ChangeSink>[0]): void {
  // When the keys can't be opened, the next call gets the error.
  if (change.type === 'notice' && change.name === 'keysChanged') keys?.refresh().catch(() => undefined)
}

/** Calls others before and after the store takes in what other tabs announce. */
function followAround(
  follow: NonNullable<Announcer['follow']>,
  before: ChangeSink,
  after: ChangeSink,
): NonNullable<Announcer['follow']> {
  return (listener) =>
    follow((change) => {
      before(change)
      listener(change)
      after(change)
    })
}
