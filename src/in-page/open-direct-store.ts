import { inPageOpeners } from '../client/in-page-openers.ts'
import { openStore } from '../client/open-store.ts'
import type { OpenOptions, SessionClient } from '../client/types.ts'
import { createEphemeralStore } from '../storage/ephemeral-store.ts'
import { openIndexedDbBackend } from '../storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../storage/memory-backend.ts'
import { createSessionStore } from '../storage/session-store.ts'
import { openWebStorageBackend } from '../storage/web-storage-backend.ts'

/** How to open a store in this realm. */
export interface OpenDirectOptions extends Omit<OpenOptions, 'worker' | 'modes'> {
  /** Which modes may be used, in this order. Default: all. `['in-page']` refuses to open what keeps nothing. */
  readonly modes?: readonly ('in-page' | 'web-storage' | 'memory')[]
}

const parts = { createSessionStore, createMemoryBackend, openIndexedDbBackend, openWebStorageBackend }

/**
 * Opens the sessions of this origin in this realm, without a worker and without `import()`: for service workers, Node, and pages
 * whose policy allows no worker. The same database as that of {@link openSessionStore} with the same name.
 *
 * @throws StorageUnavailable when no mode works; VersionConflict when newer code wrote the database; UpgradeBlocked when another tab
 * holds it in an older version
 */
export function openDirectStore(options: OpenDirectOptions = {}): Promise<SessionClient> {
  const ladder = inPageOpeners(async () => parts)
  return openStore(options, ladder, ['in-page', 'web-storage', 'memory'], async (onChange) => createEphemeralStore({ onChange }))
}
