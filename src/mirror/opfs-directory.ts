import { hash53 } from '../domain/hash53.ts'

const parentName = 'keepsession'

/** A file name has at most 255 bytes. */
const directoryName = (name: string): string => `${encodeURIComponent(name).slice(0, 100)}.${hash53(name).toString(36)}`

/**
 * The directory of a store's mirror in the origin's private file system.
 *
 * @param create - whether to create a missing directory
 * @throws the browser's error when there is no directory, or no such file system
 */
export async function opfsDirectory(name: string, create = true): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  const parent = await root.getDirectoryHandle(parentName, { create })
  return parent.getDirectoryHandle(directoryName(name), { create })
}

/** Removes the directory with all its files. @throws the browser's error while a worker has one of them open */
export async function removeOpfsDirectory(name: string): Promise<void> {
  const storage = (globalThis as { readonly navigator?: { readonly storage?: Partial<StorageManager> } }).navigator
    ?.storage
  // Without such a file system, or without access to it, there is no directory.
  const root = await storage?.getDirectory?.().catch(() => undefined)
  try {
    const parent = await root?.getDirectoryHandle(parentName)
    await parent?.removeEntry(directoryName(name), { recursive: true })
  } catch (error) {
    if ((error as Error).name !== 'NotFoundError') throw error
  }
}
