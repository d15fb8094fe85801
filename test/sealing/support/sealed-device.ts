import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { CoreBackend } from '../../../src/contract/backend.ts'
import type { Encryption } from '../../../src/contract/encryption.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { keepMirror } from '../../../src/mirror/keep-mirror.ts'
import { mirrorCommits } from '../../../src/mirror/mirror-commits.ts'
import { mirrorName } from '../../../src/mirror/mirror-names.ts'
import { openMirror } from '../../../src/mirror/open-mirror.ts'
import { renewMirror } from '../../../src/mirror/renew-mirror.ts'
import { createSpareKeyrings } from '../../../src/mirror/spare-keyring.ts'
import { createMirrorSealing } from '../../../src/sealing/mirror-sealing.ts'
import { type Keys, openKeys } from '../../../src/sealing/open-keys.ts'
import { type ResealOptions, reseal } from '../../../src/sealing/reseal.ts'
import { sealBackend } from '../../../src/sealing/seal-backend.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { type IndexedDbBackend, openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryFolder } from '../../mirror/support/memory-folder.ts'

export const databaseName = 'sealed'

/** A key as WebCrypto makes it. */
export const drawKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])

/** A store that was opened with a key, and what it stands on. */
export interface SealedStore {
  readonly store: SessionStore
  readonly backend: IndexedDbBackend
  readonly keys: Keys
  reseal(options: ResealOptions): ReturnType<typeof reseal>
  keepMirror(): ReturnType<typeof keepMirror>
}

/** A browser with a database and a mirror, in which workers start as those of a page do. */
export function createSealedDevice() {
  const folder = createMemoryFolder()
  let indexedDB = new IDBFactory()
  let boots = 0

  async function open(encryption: Encryption): Promise<SealedStore> {
    const plain = await openIndexedDbBackend({ name: databaseName, indexedDB, IDBKeyRange, canUnseal: true })
    const { epoch } = plain
    const spare = createSpareKeyrings(folder)
    const keys = await openKeys(plain, encryption, spare)
    const boot = `boot${boots++}`
    const mirror = openMirror({ folder, epoch, boot }, (reason) => {
      throw new Error(reason)
    })
    const sealing = createMirrorSealing(keys)
    const backend = sealBackend(plain, keys)
    const keep = (): ReturnType<typeof keepMirror> =>
      keepMirror({
        backend,
        epoch,
        folder,
        mirror,
        sealing,
        own: mirrorName({ epoch, boot }),
        boot: `join${boots++}`,
        store: createSessionStore(backend),
        rows: {
          stored: plain,
          mirrored: sealBackend<CoreBackend>(mirrorCommits<CoreBackend>(plain, mirror), keys),
          onRestored: () => undefined,
        },
      })
    return {
      backend: plain,
      keys,
      store: createSessionStore(sealBackend(mirrorCommits(plain, mirror), keys)),
      keepMirror: keep,
      reseal: (options) =>
        reseal(
          {
            backend: plain,
            keys,
            encryption,
            spare,
            name: databaseName,
            dropIndex: async () => undefined,
            announce: () => undefined,
            renewMirror: async () => {
              await keep()
              const isWhole = await renewMirror(folder, epoch, sealing)
              await keep()
              return isWhole
            },
          },
          options,
        ),
    }
  }

  return {
    folder,
    open,
    openPlain: async (): Promise<SessionStore> =>
      createSessionStore(await openIndexedDbBackend({ name: databaseName, indexedDB, IDBKeyRange })),
    /** Throws the database away, as browsers do, and all workers with it. */
    wipe: () => {
      indexedDB = new IDBFactory()
      folder.dieAll()
    },
    factory: () => indexedDB,
  }
}
