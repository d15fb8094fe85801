import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { openStore } from '../../../src/client/open-store.ts'
import * as later from '../../../src/client/later-parts.ts'
import type { OpenOptions, SessionClient } from '../../../src/client/types.ts'
import { openWorkerStore } from '../../../src/client/worker-store.ts'
import { createEphemeralStore } from '../../../src/storage/ephemeral-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { createSessionStore } from '../../../src/storage/session-store.ts'
import type { OpenStore } from '../../../worker/serve-page.ts'
import { createPortWorker, type PortWorker } from './port-worker.ts'

/** One browser profile: everything opened in it with the same name shares a database. */
export interface Profile {
  readonly indexedDB: IDBFactory
  /** Workers started so far. */
  readonly workers: PortWorker[]
  open(options?: Pick<OpenOptions, 'name' | 'onChange' | 'timeoutMs' | 'routing'>): Promise<SessionClient>
}

/** Clients over message ports, with the real host on the other side and a database of their own. */
export function createProfile(): Profile {
  const indexedDB = new IDBFactory()
  const workers: PortWorker[] = []
  const openHosted: OpenStore = async ({ name, blockedAfterMs, owner }, { add, follow }) => {
    const backend = await openIndexedDbBackend({ name, blockedAfterMs, indexedDB, IDBKeyRange, onNotice: add })
    return { store: createSessionStore(backend, { onChange: add, ...(follow === undefined ? {} : { follow }), ...(owner === undefined ? {} : { owner }) }), epoch: backend.epoch }
  }
  const make = (): PortWorker => {
    const worker = createPortWorker(openHosted)
    workers.push(worker)
    return worker
  }
  return {
    indexedDB,
    workers,
    open: (options = {}) => 
      openStore(options, ['worker'], { worker: (attempt) => openWorkerStore(attempt, make) }, {
        load: async () => later,
        createEphemeralStore: async (onChange) => createEphemeralStore({ onChange }),
      }),
  }
}
