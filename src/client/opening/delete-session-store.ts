import type { OpenOptions } from '../open-options.ts'
import { databaseName } from './database-name.ts'

/**
 * Deletes one store with everything it has: sessions, blobs, search index, mirror, and what is in Web Storage. Close the
 * store first, in every tab. The store of each user is a store of its own: without `userId` only the one that was opened
 * without it is deleted, and those of users stay.
 *
 * @param name - the `name` it was opened with (default `keepsession`), or a client's `name` without `userId`
 * @param options - `userId`: the user whose store is deleted
 * @example
 * // Signing out, in the tab where it was asked for. The other tabs listen and close their clients.
 * new BroadcastChannel('sign-out').postMessage('close')
 * await client.close()
 * await deleteSessionStore('my-app', { userId: 'ann' })
 * @throws StorageUnavailable when a tab has it open: what could be deleted without that is gone; UpgradeBlocked when
 *   the browser waits for one
 */
export async function deleteSessionStore(
  name = 'keepsession',
  { userId }: Pick<OpenOptions, 'userId'> = {},
): Promise<void> {
  const { deleteStore } = await import('../../in-page/delete-store.ts')
  await deleteStore(userId === undefined ? name : databaseName(name, userId))
}
