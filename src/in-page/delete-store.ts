import type { StoragePlace } from '../client/opening/storage-of-mode.ts'
import { deletionChannel } from '../client/upkeep/close-when-deleted.ts'
import { bucketName, bucketsHere } from '../client/worker/bucket-worker.ts'
import { dropMarker } from '../client/worker/loss-marker.ts'
import { openChannel } from '../client/worker/open-channel.ts'
import { locksHere } from '../client/worker/page-lock.ts'
import { SessionError } from '../contract/errors.ts'
import { namesOf } from '../domain/names-of.ts'
import { removeOpfsDirectory } from '../mirror/opfs-directory.ts'

/** How long another tab may block a deletion. */
const blockedAfterMs = 5000

/** How often, and after which pause, to try a removal again: tabs that were asked to close the store take a moment. */
const removalTries = 25
const removalPauseMs = 200

/** How each place is erased. The compiler asks for that of a new place. */
const erasers: Readonly<Record<StoragePlace, (name: string) => void | Promise<void>>> = {
  indexeddb: eraseDatabases,
  'web-storage': eraseWebStorage,
  // It ended with its page.
  memory: () => undefined,
}

/** Deletes everything under a store's name, or nothing if a tab does not close it. */
export async function deleteStore(name: string): Promise<void> {
  await whenClosed(name, () => undefined)
  const failures: unknown[] = []
  for (const erase of Object.values(erasers)) {
    try {
      await erase(name)
    } catch (error) {
      // Where one place fails, the sessions may be in another one.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * The mirror goes first: the rest of a database can be deleted later, but without its mirror nothing can fill it again.
 */
async function eraseDatabases(name: string): Promise<void> {
  // Workers that were asked to end take a moment, too, and one that is still there has a file of the mirror open.
  await whenClosed(name, () => removeOpfsDirectory(name))
  await removeBucket(name).catch((error: unknown) => {
    throw new SessionError(
      'StorageUnavailable',
      `Could not delete the bucket of the store "${name}": ${(error as Error).message}. Try again.`,
    )
  })
  for (const database of [name, `keepsession-search:${name}`]) await deleteDatabase(database)
  await dropMarker(name)
}

function eraseWebStorage(name: string): void {
  if ((globalThis.document as unknown) === undefined) return
  try {
    for (const key of Object.keys(localStorage)) {
      if (key === `keepsession.retention:${name}` || key.startsWith(`${namesOf(name)}:`)) localStorage.removeItem(key)
    }
  } catch {
    // A page without permission to store has nothing stored.
  }
}

/** When the databases of the origin once failed to open, there is another one in a bucket. */
async function removeBucket(name: string): Promise<void> {
  const buckets = bucketsHere()
  // An origin without permission for buckets has none.
  const names = (await buckets?.keys().catch(() => undefined)) ?? []
  if (names.includes(bucketName(name))) await buckets?.delete(bucketName(name))
}

/** Asks all tabs to close the store, and does something once they have. @throws StorageUnavailable */
async function whenClosed(name: string, act: () => void | Promise<void>): Promise<void> {
  const channel = openChannel(deletionChannel(name))
  try {
    for (let tries = 0; ; tries++) {
      // Asked again each time, because a tab may just be opening it.
      channel?.postMessage('close')
      try {
        if (await isOpen(name)) throw new Error('A page has it open.')
        return await act()
      } catch (error) {
        if (tries >= removalTries)
          throw new SessionError(
            'StorageUnavailable',
            `Could not delete the store "${name}": a tab that has it open did not close it in time; browsers stop tabs in the background. Close that tab, then try again. ${(error as Error).message}`,
          )
        await new Promise((resolve) => setTimeout(resolve, removalPauseMs))
      }
    }
  } finally {
    channel?.close()
  }
}

/**
 * An open mirror can't be removed, and its lock shows that it is open. Without a mirror, the browser would allow
 * deleting a database that others use.
 */
async function isOpen(name: string): Promise<boolean> {
  const locks = locksHere()
  // Some pages have locks but are not allowed to use them.
  const { held = [] } = (await locks?.query().catch(() => undefined)) ?? {}
  return held.some((lock) => lock.name?.startsWith(`${namesOf(name)}:page:`))
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(new SessionError('StorageUnavailable', `Could not delete the database "${name}": ${reason}. Try again.`))
    let request: IDBOpenDBRequest
    try {
      // Nothing can be stored where there is none.
      if ((globalThis.indexedDB as unknown) === undefined) return resolve()
      request = indexedDB.deleteDatabase(name)
    } catch (error) {
      // Some pages have it but are not allowed to use it.
      return fail((error as Error).message)
    }
    const timer = setTimeout(
      () =>
        reject(
          new SessionError(
            'UpgradeBlocked',
            `The database "${name}" was not deleted within ${blockedAfterMs} ms: another tab has it open. It is deleted once that tab is closed.`,
          ),
        ),
      blockedAfterMs,
    )
    request.onsuccess = () => resolve(clearTimeout(timer))
    request.onerror = () => {
      clearTimeout(timer)
      fail(request.error?.message ?? 'the browser does not say why')
    }
  })
}
