import '../support/global-indexeddb.ts'
import { beforeEach, onTestFinished, vi } from 'vitest'
import { openSessionStore, type SessionClient } from '../../src/index.ts'
import type { SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import type { DeviceSync, OpenSyncOptions } from '../../src/sync-client/sync-types.ts'
import { createLocks } from '../support/locks.ts'
import type { Hub } from './hub.ts'

/**
 * Gives each test of a file Web Locks of its own, which Node 20 lacks: without them a tab that is slow counts as gone.
 */
export function withLocks(): void {
  beforeEach(() => {
    vi.stubGlobal('navigator', { locks: createLocks() })
    // What a test opened closes first: the last said is the first done.
    onTestFinished(() => void vi.unstubAllGlobals())
  })
}

/**
 * How stores are opened here: at once in the page, as Node has no workers, and in as much time as a busy machine needs
 * to load the code. One that fell to another place for being late would be a device of its own.
 */
export const inPage = { modes: ['in-page'], timeoutMs: 60_000 } as const

/** A tab with a store that syncs. Tabs of one name are of one device. */
export interface Tab {
  readonly client: SessionClient
  readonly sync: DeviceSync
  close(): Promise<void>
}

/** Opens one for the test that runs. */
export async function openTab(
  hub: Hub,
  name: string,
  keys?: SyncKeys,
  options: Partial<OpenSyncOptions> = {},
): Promise<Tab> {
  const client = await openSessionStore({ name, ...inPage })
  const sync = openSync(client, {
    namespace: 'me',
    ...(keys && { keys }),
    transport: () => hub.transport(),
    retryMs: [5, 20],
    announceMs: 5,
    ...options,
  })
  const close = async (): Promise<void> => {
    await sync.close()
    await client.close()
  }
  onTestFinished(close)
  return { client, sync, close }
}
