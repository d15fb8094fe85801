import type { CoreBackend } from '../src/contract/backend.ts'
import type { ChangeSink } from '../src/contract/change.ts'
import type { CoreStore } from '../src/contract/store/session-store.ts'
import { mirrorCommits } from '../src/mirror/mirror-commits.ts'
import { createCoreStore } from '../src/storage/core-store.ts'
import { openCoreBackend } from '../src/storage/indexeddb/core-backend.ts'
import { keyringAccess } from '../src/storage/indexeddb/keyring-access.ts'
import { openNatively } from '../src/storage/indexeddb/open-natively.ts'
import type { Announcer } from './announce-changes.ts'
import { followLosses } from './follow-losses.ts'
import { onLockGone } from './life-sign.ts'
import { openMirrorHere } from './open-mirror-here.ts'
import { type OpenSeal, openSeal } from './open-seal.ts'
import { repairElsewhere } from './repair-elsewhere.ts'
import type { OpenStore } from './serve-page.ts'
import { storeOptions } from './store-options.ts'

const nothingMore = (): object => ({})

/** Job workers leave the replies of dead pages to this worker, which always runs. */
const optionsOf: typeof storeOptions = (request, changes, wasLost) => ({
  ...storeOptions(request, changes, wasLost),
  onOwnerGone: onLockGone,
})

/** Opens the database of a page's store in this worker, for everything but jobs. */
export const openCoreStore: OpenStore = async (request, changes) => {
  const { name, blockedAfterMs, encryption } = request
  const findMirror = openMirrorHere(request, changes, true)
  const { onLost, wasLost } = followLosses(changes)
  const backend = await openCoreBackend(
    openNatively,
    { name, blockedAfterMs, canUnseal: encryption !== undefined, onNotice: changes.add, onLost },
    keyringAccess,
  )
  const { state, open } = await findMirror(backend.epoch)
  const seal = await openSeal(backend, request, open, changes.add)
  const opened = { epoch: backend.epoch, mirror: state, ...seal.state }
  const following = { ...changes, ...(changes.follow && { follow: refreshKeys(changes.follow, seal) }) }
  const createStore = (over: CoreBackend, announcer: Pick<Announcer, 'add' | 'follow'>): CoreStore =>
    createCoreStore(over, optionsOf(request, announcer, wasLost), nothingMore, repairElsewhere(changes, over))
  if (open === undefined) return { store: createStore(seal.over(backend), following), ...opened }
  const forget = (key: string): void =>
    void backend.loadSession(key).then(
      (rows) => open.mirror.forget(key, rows?.hot.session),
      () => undefined,
    )
  const forgetEntries = (key: string): void =>
    void backend.loadSession(key).then(
      (rows) => rows && open.mirror.forgetEntries(key, rows.cold.purged),
      () => undefined,
    )
  return {
    store: createStore(seal.over(mirrorCommits(backend, open.mirror)), forgetting(following, forget, forgetEntries)),
    ...opened,
  }
}

/** Reads the keyring again when another tab changed the keys, while the old keys can still open the new ones. */
function refreshKeys(follow: NonNullable<Announcer['follow']>, { keys }: OpenSeal): NonNullable<Announcer['follow']> {
  return (listener) =>
    follow((change) => {
      // When the keys can't be opened, the next call gets the error.
      if (change.type === 'notice' && change.name === 'keysChanged') keys?.refresh().catch(() => undefined)
      listener(change)
    })
}

/** Passes on to the mirror which sessions and entries other tabs and jobs erase. */
function forgetting(
  { add, follow }: Announcer,
  forget: (key: string) => void,
  forgetEntries: (key: string) => void,
): Pick<Announcer, 'add' | 'follow'> {
  if (follow === undefined) return { add }
  return {
    add,
    follow: (listener: ChangeSink) =>
      follow((change) => {
        listener(change)
        if (change.type !== 'session') return
        if (change.listing === undefined) forget(change.key)
        else if (change.erased) forgetEntries(change.key)
      }),
  }
}
