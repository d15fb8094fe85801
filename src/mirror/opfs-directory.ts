import { hash53 } from '../domain/hash53.ts'

/** The directory of a store's mirror in the origin's private file system. @throws what the browser throws where there is none */
export async function opfsDirectory(name: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  const all = await root.getDirectoryHandle('keepsession', { create: true })
  // A file name has at most 255 bytes.
  return all.getDirectoryHandle(`${encodeURIComponent(name).slice(0, 100)}.${hash53(name).toString(36)}`, { create: true })
}
