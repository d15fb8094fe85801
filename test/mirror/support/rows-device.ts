import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { CoreBackend } from '../../../src/contract/backend.ts'
import type { MirrorReport } from '../../../src/contract/mirror.ts'
import type { RowValue } from '../../../src/contract/store/collections.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { type KeepOptions, keepMirror } from '../../../src/mirror/keep-mirror.ts'
import { mirrorCommits } from '../../../src/mirror/mirror-commits.ts'
import { mirrorName } from '../../../src/mirror/mirror-names.ts'
import { type OpenMirror, openMirror } from '../../../src/mirror/open-mirror.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { type IndexedDbBackend, openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryFolder, type MemoryFolder } from './memory-folder.ts'

const name = 'rows'

/** A worker that mirrors what it stores. */
interface RowsWorker {
  /** Part of the name of its file. */
  readonly boot: string
  readonly store: SessionStore
  readonly mirror: OpenMirror
  /** Its tab is closed. */
  close(): Promise<void>
}

/** A browser with an IndexedDB and a folder, in which workers start and die. */
export interface RowsDevice {
  readonly folder: MemoryFolder
  boot(): Promise<RowsWorker>
  /** A store on the database that mirrors nothing. */
  bare(): Promise<SessionStore>
  database(): Promise<IndexedDbBackend>
  /** All workers die at once, without a word. */
  crash(): void
  /** Throws the database away, as browsers do. */
  wipe(): void
  /** The database before is used again, as after a start in a bucket of the store's own. All workers die. */
  comeBack(): void
  /** The object store `rows` as it is now, and going back to it, as a browser does that loses the end of a database. */
  keepCopy(): Promise<() => Promise<void>>
  /** Compares the database with its mirror. @param change - changes what the comparison commits through */
  keep(options?: KeepOptions, change?: (backend: CoreBackend) => CoreBackend): Promise<MirrorReport>
  /** Rows that were announced as restored. */
  readonly announced: string[]
}

export function createRowsDevice(): RowsDevice {
  const folder = createMemoryFolder()
  const announced: string[] = []
  let indexedDB = new IDBFactory()
  let former = indexedDB
  let opened: Promise<IndexedDbBackend> | undefined
  let boots = 0

  const database = (): Promise<IndexedDbBackend> => (opened ??= openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
  const open = async (boot: string) => {
    const backend = await database()
    const mirror = openMirror({ folder, epoch: backend.epoch, boot }, () => undefined)
    return { backend, mirror }
  }
  return {
    folder,
    announced,
    database,
    bare: async () => createSessionStore(await database()),
    boot: async () => {
      const boot = `boot${boots++}`
      const { backend, mirror } = await open(boot)
      return { boot, mirror, store: createSessionStore(mirrorCommits(backend, mirror)), close: () => mirror.close() }
    },
    crash: () => folder.dieAll(),
    wipe: () => {
      folder.dieAll()
      former = indexedDB
      indexedDB = new IDBFactory()
      opened = undefined
    },
    comeBack: () => {
      folder.dieAll()
      const now = indexedDB
      indexedDB = former
      former = now
      opened = undefined
    },
    keepCopy: async () => {
      const { readRows } = await database()
      const rows = await readRows('rows', undefined, 100_000)
      return async () => {
        folder.dieAll()
        // A browser does not start again in the same millisecond.
        const last = await (await database()).lastRowsStamp()
        while (Date.now() <= last) await new Promise((resolve) => setTimeout(resolve))
        const connection = await new Promise<IDBDatabase>((resolve) => {
          const request = indexedDB.open(name)
          request.onsuccess = () => resolve(request.result)
        })
        const transaction = connection.transaction('rows', 'readwrite')
        transaction.objectStore('rows').clear()
        for (const { key, value } of rows) transaction.objectStore('rows').put(value, key)
        await new Promise((resolve) => (transaction.oncomplete = resolve))
        connection.close()
      }
    },
    keep: async (options = {}, change = (backend) => backend) => {
      const boot = `boot${boots++}`
      const { backend, mirror } = await open(boot)
      try {
        return await keepMirror(
          {
            backend,
            epoch: backend.epoch,
            store: createSessionStore(backend),
            folder,
            mirror,
            own: mirrorName({ epoch: backend.epoch, boot }),
            boot: `joined${boots++}`,
            rows: {
              stored: backend,
              mirrored: change(mirrorCommits<CoreBackend>(backend, mirror)),
              onRestored: (collection, keys) => void announced.push(...keys.map((key) => `${collection}/${key}`)),
            },
          },
          options,
        )
      } finally {
        await mirror.close()
      }
    },
  }
}

/** Workers that start and end one after the other, without a comparison. */
export async function bootMany(
  device: RowsDevice,
  count: number,
  work: (store: SessionStore, i: number) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { store, close } = await device.boot()
    await work(store, i)
    await close()
  }
}

export const put = (
  store: SessionStore,
  collection: string,
  key: string,
  value: RowValue,
): Promise<readonly boolean[]> => store.writeRows(collection, [{ type: 'put', key, value }])

export const drop = (store: SessionStore, collection: string, key: string): Promise<readonly boolean[]> =>
  store.writeRows(collection, [{ type: 'delete', key }])

/** All rows of a collection by key. */
export async function rowsOf(store: SessionStore, collection: string): Promise<Readonly<Record<string, RowValue>>> {
  const found: Record<string, RowValue> = {}
  for (let after: string | undefined; ; ) {
    const page = await store.listRows(collection, { limit: 1000, ...(after !== undefined && { after }) })
    for (const { key, value } of page.rows) found[key] = value
    after = page.next
    if (after === undefined) return found
  }
}

/** Everything that the files of a mirror say, as text. */
export const everything = ({ folder }: Pick<RowsDevice, 'folder'>): string =>
  [...folder.files.values()].map((content) => new TextDecoder().decode(content)).join('')
