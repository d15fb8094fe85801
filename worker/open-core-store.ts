import { createCoreStore } from '../src/storage/core-store.ts'
import { openCoreBackend } from '../src/storage/indexeddb/core-backend.ts'
import { openNatively } from '../src/storage/indexeddb/open-natively.ts'
import type { OpenStore } from './serve-page.ts'
import { storeOptions } from './store-options.ts'

const nothingMore = (): object => ({})

/** Opens the database of a page's store in this worker, for everything but jobs. */
export const openCoreStore: OpenStore = async (request, changes) => {
  const { name, blockedAfterMs } = request
  const backend = await openCoreBackend(openNatively, { name, blockedAfterMs, onNotice: changes.add }, nothingMore)
  return { store: createCoreStore(backend, storeOptions(request, changes), nothingMore), epoch: backend.epoch }
}
