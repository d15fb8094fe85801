import type { StorageBackend } from '../src/contract/backend.ts'
import type { EncryptionState, ResealReport } from '../src/contract/encryption.ts'
import type { MirrorReport } from '../src/contract/mirror.ts'
import type { RepairedRows } from '../src/contract/row-salvage.ts'
import type { SessionStore } from '../src/contract/store/session-store.ts'
import type { KindUsage } from '../src/contract/store/store-upkeep.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { namesOf } from '../src/domain/names-of.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { type KeepOptions, keepMirror } from '../src/mirror/keep-mirror.ts'
import { mirrorCommits } from '../src/mirror/mirror-commits.ts'
import type { MirrorFolder } from '../src/mirror/mirror-folder.ts'
import { renewMirror } from '../src/mirror/renew-mirror.ts'
import { createSpareKeyrings } from '../src/mirror/spare-keyring.ts'
import { createMirrorSealing } from '../src/sealing/mirror-sealing.ts'
import { type ResealOptions, reseal } from '../src/sealing/reseal.ts'
import { dropIndexDatabase } from '../src/search/open-index-database.ts'
import { createSessionStore } from '../src/storage/create-session-store.ts'
import { repairOnRead } from '../src/storage/engine/upkeep/repair-on-read.ts'
import { repairRows } from '../src/storage/engine/upkeep/repair-rows.ts'
import { openIndexedDbBackend } from '../src/storage/indexeddb/indexeddb-backend.ts'
import type { Announcer } from './announce-changes.ts'
import { followLosses } from './follow-losses.ts'
import { holdLock } from './life-sign.ts'
import { openMirrorHere } from './open-mirror-here.ts'
import { openSeal } from './open-seal.ts'
import { storeOptions } from './store-options.ts'

/** A store for jobs. */
export interface FullStore {
  readonly store: SessionStore
  readonly epoch: string
  /** Rebuilds the unreadable rows of a session. */
  readonly repairRows?: (key: string) => Promise<RepairedRows | undefined>
  /** Compares the database with its mirror. Absent where there is none. */
  readonly keepMirror?: (options: KeepOptions) => Promise<MirrorReport>
  /** Changes the encryption. Absent where the store is plain. */
  readonly changeEncryption?: (options: ResealOptions) => Promise<ResealReport>
  readonly encryption?: EncryptionState
}

/**
 * Opens the database of a page's store in this worker, for jobs.
 *
 * @param follow - follows the changes of others; a store without it caches nothing
 */
export async function openFullStore(
  request: OpenMessage,
  changes: Announcer,
  follow?: Announcer['follow'],
): Promise<FullStore> {
  const { name, blockedAfterMs, encryption } = request
  const { add } = changes
  const findMirror = openMirrorHere(request, changes, false)
  const { onLost, wasLost } = followLosses(changes)
  const database = await openIndexedDbBackend({
    name,
    blockedAfterMs,
    canUnseal: encryption !== undefined,
    onNotice: add,
    onLost,
  })
  const { epoch } = database
  const { state, open } = await findMirror(epoch)
  const seal = await openSeal(database, request, open, add)
  const { keys } = seal
  const options = storeOptions(request, { add, ...(follow && { follow }) }, wasLost)
  const sealing = keys && createMirrorSealing(keys)
  const repair = (key: string): Promise<RepairedRows | undefined> => repairRows(seal.over(database), key, Date.now)
  const keep = async (given: KeepOptions): Promise<MirrorReport> => {
    const backend = seal.over(database)
    return keepMirror(
      {
        ...open!,
        backend: repairOnRead(backend, repair),
        epoch,
        store: createSessionStore(backend, options),
        boot: drawBoot(),
        rows: {
          stored: database,
          mirrored: seal.over(mirrorCommits(database, open!.mirror)),
          onRestored: (collection, keys) => add({ type: 'collection', collection, keys }),
        },
        ...(sealing && { sealing }),
      },
      given,
    )
  }
  const change = async (given: ResealOptions): Promise<ResealReport> => {
    const renew = (): Promise<boolean> =>
      holdLock(`${namesOf(name)}:mirror`, async () => {
        // The database must have everything before the mirror is replaced.
        const { left } = await keep({})
        if (left.length > 0) return false
        const isWhole = await renewMirror(open!.folder, epoch, sealing!)
        await keep({})
        return isWhole
      })
    return reseal(
      {
        backend: database,
        keys: keys!,
        encryption: encryption!,
        name,
        announce: add,
        dropIndex: () => dropIndexDatabase(name),
        // This includes a mirror that has stopped: old content must not stay in it.
        ...(open && open.late === undefined && { spare: createSpareKeyrings(open.folder), renewMirror: renew }),
      },
      given,
    )
  }
  const changeEncryption =
    keys && ((given: ResealOptions) => holdLock(`${namesOf(name)}:keys`, () => change(given), given.signal))
  if (open === undefined)
    return {
      store: createSessionStore(seal.over(database), options),
      epoch,
      repairRows: repair,
      ...seal.state,
      ...(changeEncryption && { changeEncryption }),
    }
  return {
    store: createSessionStore(seal.over(mirrorCommits(measuringMirror(database, open.folder), open.mirror)), options),
    epoch,
    repairRows: repair,
    ...seal.state,
    ...(changeEncryption && { changeEncryption }),
    // Several tabs do it one after the other, and the next finds it done.
    ...(state.isOn && {
      keepMirror: (given: KeepOptions) => holdLock(`${namesOf(name)}:mirror`, () => keep(given), given.signal),
    }),
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
