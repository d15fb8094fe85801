import type { SessionStore } from '../src/contract/store.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { openIndexedDbBackend } from '../src/storage/indexeddb/indexeddb-backend.ts'
import { createSessionStore } from '../src/storage/session-store.ts'
import type { Announcer } from './announce-changes.ts'
import { storeOptions } from './store-options.ts'

/** Opens the database of a page's store in this worker, for jobs. It caches nothing, and so need not hear what others change. */
export async function openFullStore(request: OpenMessage, { add }: Announcer): Promise<{ readonly store: SessionStore; readonly epoch: string }> {
  const { name, blockedAfterMs } = request
  const backend = await openIndexedDbBackend({ name, blockedAfterMs, onNotice: add })
  return { store: createSessionStore(backend, storeOptions(request, { add })), epoch: backend.epoch }
}
