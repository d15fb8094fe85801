import type { OpenOptions } from '../open-options.ts'
import { databaseName } from './database-name.ts'

/**
 * Deletes a store with everything it has: sessions, blobs, search index, mirror, and what is in Web Storage. For
 * signing out, and for "clear everything". Close the store first, in every tab.
 *
 * @param name - of the store, or of its database; default `keepsession`
 * @param options - `userId`: of one user only
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
