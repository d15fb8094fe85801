import { hash53 } from '../domain/hash53.ts'

const parentName = 'keepsession'

/** A file name has at most 255 bytes. */
const directoryName = (name: string): string => `${encodeURIComponent(name).slice(0, 100)}.${hash53(name).toString(36)}`

/**
 * The directory of a store's mirror in the origin's private file system.
 *
 * @param create - makes it where there is none
 * @throws what the browser throws where there is none, or no such file system
 */
export async function opfsDirectory(name: string, create = true): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  const parent = await root.getDirectoryHandle(parentName, { create })
  return parent.getDirectoryHandle(directoryName(name), { create })
}

/** Removes it, with all that is in it. @throws what the browser throws while a worker has a file of it open */
export async function removeOpfsDirectory(name: string): Promise<void> {
  const storage = (globalThis as { readonly navigator?: { readonly storage?: Partial<StorageManager> } }).navigator?.storage
  // Where there is no such file system, or none for this window, there is nothing in it.
  const root = await storage?.getDirectory?.().catch(() => undefined)
  try {
    const parent = await root?.getDirectoryHandle(parentName)
    await parent?.removeEntry(directoryName(name), { recursive: true })
  } catch (error) {
    if ((error as Error).name !== 'NotFoundError') throw error
  }
}
