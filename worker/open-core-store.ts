import type { ChangeSink } from '../src/contract/change.ts'
import { mirrorCommits } from '../src/mirror/mirror-commits.ts'
import { createCoreStore } from '../src/storage/core-store.ts'
import { openCoreBackend } from '../src/storage/indexeddb/core-backend.ts'
import { keyringAccess } from '../src/storage/indexeddb/keyring-access.ts'
import { openNatively } from '../src/storage/indexeddb/open-natively.ts'
import type { Announcer } from './announce-changes.ts'
import { openMirrorHere } from './open-mirror-here.ts'
import { type OpenSeal, openSeal } from './open-seal.ts'
import type { OpenStore } from './serve-page.ts'
import { storeOptions } from './store-options.ts'

const nothingMore = (): object => ({})

/** Opens the database of a page's store in this worker, for everything but jobs. */
export const openCoreStore: OpenStore = async (request, changes) => {
  const { name, blockedAfterMs, encryption } = request
  const findMirror = openMirrorHere(request, changes.add)
  const backend = await openCoreBackend(openNatively, { name, blockedAfterMs, canUnseal: encryption !== undefined, onNotice: changes.add }, keyringAccess)
  const { state, open } = await findMirror(backend.epoch)
  const seal = await openSeal(backend, request, open, changes.add)
  const opened = { epoch: backend.epoch, mirror: state, ...seal.state }
  const following = { ...changes, ...(changes.follow && { follow: hearKeys(changes.follow, seal) }) }
  if (open === undefined) return { store: createCoreStore(seal.over(backend), storeOptions(request, following), nothingMore), ...opened }
  const forget = (key: string): void => void backend.loadSession(key).then((rows) => open.mirror.forget(key, rows?.hot.session), () => undefined)
  const store = createCoreStore(seal.over(mirrorCommits(backend, open.mirror)), storeOptions(request, forgetting(following, forget)), nothingMore)
  return { store, ...opened }
}

/** Has the keys hear that another tab changed them, while it can still tell the new ones by the old. */
function hearKeys(follow: NonNullable<Announcer['follow']>, { keys }: OpenSeal): NonNullable<Announcer['follow']> {
  return (listener) =>
    follow((change) => {
      // Who can't open them learns it by the next call.
      if (change.type === 'notice' && change.name === 'keysChanged') keys?.refresh().catch(() => undefined)
      listener(change)
    })
}

/** Has the mirror hear of sessions that other tabs erase. */
function forgetting({ add, follow }: Announcer, forget: (key: string) => void): Pick<Announcer, 'add' | 'follow'> {
  if (follow === undefined) return { add }
  return {
    add,
    follow: (listener: ChangeSink) =>
      follow((change) => {
        listener(change)
        if (change.type === 'session' && change.listing === undefined) forget(change.key)
      }),
  }
}
