import { hash53 } from '../domain/hash53.ts'

const parentName = 'keepsession'

/** A file name has at most 255 bytes. */
const directoryName = (name: string): string => `${encodeURIComponent(name).slice(0, 100)}.${hash53(name).toString(36)}`

/** The directory of a store's mirror in the origin's private file system. @throws what the browser throws where there is none */
export async function opfsDirectory(name: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  const parent = await root.getDirectoryHandle(parentName, { create: true })
  return parent.getDirectoryHandle(directoryName(name), { create: true })
}

/** The same, where it is already; `undefined` where it is not, or there is no such file system, or none for this window. */
export async function findOpfsDirectory(name: string): Promise<FileSystemDirectoryHandle | undefined> {
  const parent = await findParent()
  return parent?.getDirectoryHandle(directoryName(name)).catch(unlessMissing)
}

/** Removes it, with all that is in it. @throws what the browser throws while a worker has a file of it open */
export async function removeOpfsDirectory(name: string): Promise<void> {
  const parent = await findParent()
  await parent?.removeEntry(directoryName(name), { recursive: true }).catch(unlessMissing)
}

async function findParent(): Promise<FileSystemDirectoryHandle | undefined> {
  const storage = (globalThis as { readonly navigator?: { readonly storage?: Partial<StorageManager> } }).navigator?.storage
  const root = await storage?.getDirectory?.().catch(() => undefined)
  return root?.getDirectoryHandle(parentName).catch(unlessMissing)
}

function unlessMissing(error: unknown): undefined {
  if ((error as Error).name !== 'NotFoundError') throw error
}
