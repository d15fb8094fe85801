import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { openIndexedDbBackend } from '../src/storage/indexeddb/indexeddb-backend.ts'
import { createSessionStore } from '../src/storage/session-store.ts'
import type { Announcer } from './announce-changes.ts'
import { isLockHeld } from './life-sign.ts'
import type { OpenedStore } from './serve-page.ts'

/** Opens the database of a page's store in this worker. */
export async function openHostedStore({ name, blockedAfterMs, owner, operations }: OpenMessage, { add, follow }: Announcer): Promise<OpenedStore> {
  const backend = await openIndexedDbBackend({ name, blockedAfterMs, onNotice: add })
  const store = createSessionStore(backend, {
    onChange: add,
    ...(follow === undefined ? {} : { follow }),
    isFreshOperation: (id) => operations !== undefined && id.startsWith(operations),
    ...(owner === undefined ? {} : { owner }),
    isOwnerAlive: isLockHeld,
  })
  return { store, epoch: backend.epoch }
}
