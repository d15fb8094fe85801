import type { SessionClient } from '../client/client-contract.ts'
import { createSearchWith } from '../client/create-search.ts'
import type { OpenOptions } from '../client/open-options.ts'
import * as later from '../client/opening/later-parts.ts'
import { openStore } from '../client/opening/open-store.ts'
import { createEphemeralStore } from '../storage/ephemeral-store.ts'
import { type InPageMode, inPageOpeners } from './open-in-page.ts'
import { openSearchInPage } from './open-search-in-page.ts'

/** How to open a store in this realm. */
export interface OpenDirectOptions extends Omit<OpenOptions, 'worker' | 'modes'> {
  /** Which modes may be used, in this order. Default: all. `['in-page']` refuses a store that keeps nothing. */
  readonly modes?: readonly InPageMode[]
}

/**
 * Opens the sessions of this origin in this realm, without a worker and without `import()`: for service workers, Node,
 * and pages whose policy forbids workers. It uses the same database as {@link openSessionStore} with the same name.
 *
 * @throws StorageUnavailable when no mode works; VersionConflict when newer code wrote the database; UpgradeBlocked
 * when another tab holds it in an older version
 */
export function openDirectStore(options: OpenDirectOptions = {}): Promise<SessionClient> {
  const { modes = ['in-page', 'web-storage', 'memory'] } = options
  return openStore(options, modes, (mode) => inPageOpeners[mode as InPageMode], {
    load: async () => later,
    createEphemeralStore: async (onChange) => createEphemeralStore({ onChange }),
    openSearch: async (opened) => createSearchWith(opened, () => openSearchInPage(opened)),
  })
}
