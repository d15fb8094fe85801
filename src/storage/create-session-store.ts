import type { StorageBackend } from '../contract/backend.ts'
import type { InterruptibleWork } from '../contract/interruptible-work.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { createCoreStore, type SessionStoreOptions } from './core-store.ts'
import { createJobMethods } from './engine/upkeep/job-methods.ts'
import { repairRows } from './engine/upkeep/repair-rows.ts'

export type { SessionStoreOptions } from './core-store.ts'

/** The session engine over any backend that keeps the laws of {@link StorageBackend}. */
export function createSessionStore(
  backend: StorageBackend,
  options: SessionStoreOptions = {},
): SessionStore & InterruptibleWork {
  return createCoreStore(
    backend,
    options,
    (engine) => createJobMethods(engine, { ...backend, ...engine.backend }),
    (key, now) => repairRows(backend, key, now),
  )
}
