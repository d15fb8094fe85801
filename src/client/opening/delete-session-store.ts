import type { OpenOptions } from '../open-options.ts'
import { databaseName } from './database-name.ts'

/**
 * Deletes one store with everything it has: sessions, blobs, search index, mirror, and what is in Web Storage. Clients
 * that have it open, in this tab and all others, are closed first: they get the notice `storeDeleted`, and then
 * calls reject with StorageClosed. The store of each user is a store of its own: without `userId` only the one that was opened
 * without it is deleted, and those of users stay.
 *
 * @param name - the `name` it was opened with (default `keepsession`), or a client's `name` without `userId`
 * @param options - `userId`: the user whose store is deleted
 * @example
 * // Signing out, in the tab where it was asked for.
 * await deleteSessionStore('my-app', { userId: 'ann' })
 * @throws StorageUnavailable when a tab did not close it within about 5 s, because browsers stop tabs in the
 *   background: nothing is deleted then; UpgradeBlocked when the browser waits for one; StorageUnavailable when
 *   IndexedDB or the mirror fails: what is in Web Storage is erased all the same
 */
export async function deleteSessionStore(
  name = 'keepsession',
  { userId }: Pick<OpenOptions, 'userId'> = {},
): Promise<void> {
  const { deleteStore } = await import('../../in-page/delete-store.ts')
  await deleteStore(userId === undefined ? name : databaseName(name, userId))
}
