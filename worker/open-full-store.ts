import type { StorageBackend } from '../src/contract/backend.ts'
import type { KindUsage, SessionStore } from '../src/contract/store.ts'
import type { MirrorReport } from '../src/contract/mirror.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { keepMirror, type KeepOptions } from '../src/mirror/keep-mirror.ts'
import type { MirrorFolder } from '../src/mirror/mirror-folder.ts'
import { mirrorCommits } from '../src/mirror/mirror-commits.ts'
import { openIndexedDbBackend } from '../src/storage/indexeddb/indexeddb-backend.ts'
import { mendRows } from '../src/storage/engine/mend-rows.ts'
import { createSessionStore } from '../src/storage/session-store.ts'
import type { Announcer } from './announce-changes.ts'
import { followLosses } from './follow-losses.ts'
import { holdLock } from './life-sign.ts'
import { openMirrorHere } from './open-mirror-here.ts'
import { storeOptions } from './store-options.ts'

/** A store for jobs. */
export interface FullStore {
  readonly store: SessionStore
  readonly epoch: string
  /** Holds the database against its mirror. Absent where there is none. */
  readonly keepMirror?: (options: KeepOptions) => Promise<MirrorReport>
}

/** Opens the database of a page's store in this worker, for jobs. It caches nothing, and so need not hear what others change. */
export async function openFullStore(request: OpenMessage, changes: Announcer): Promise<FullStore> {
  const { name, blockedAfterMs } = request
  const { add } = changes
  const findMirror = openMirrorHere(request, changes, false)
  const { onLost, wasLost } = followLosses(changes)
  const database = await openIndexedDbBackend({ name, blockedAfterMs, onNotice: add, onLost })
  const { epoch } = database
  const { state, open } = await findMirror(epoch)
  const backend = open === undefined ? database : measuringMirror(database, open.folder)
  const options = storeOptions(request, { add }, wasLost)
  if (open === undefined) return { store: createSessionStore(backend, options), epoch }
  return {
    store: createSessionStore(mirrorCommits(backend, open.mirror), options),
    epoch,
    // Of several tabs one after the other: the next finds it done.
    ...(state.isOn && { keepMirror: (given: KeepOptions) => holdLock(`keepsession:${name}:mirror`, () => keepMirror({ ...open, backend: mendRows(backend, { now: Date.now, onMended: () => undefined }), epoch, store: createSessionStore(backend, options), boot: drawBoot() }, given), given.signal) }),
  }
}

/** A backend that counts the files of the mirror as well. */
function measuringMirror<Backend extends StorageBackend>(backend: Backend, folder: MirrorFolder): Backend {
  return {
    ...backend,
    usage: async () => {
      const usage = await backend.usage()
      const mirror = await measureFolder(folder).catch(() => undefined)
      return mirror === undefined ? usage : { ...usage, kinds: { ...usage.kinds, mirror } }
    },
  }
}

async function measureFolder(folder: MirrorFolder): Promise<KindUsage> {
  const sizes = await Promise.all((await folder.list()).map(async (file) => (await folder.read(file))?.size ?? 0))
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
