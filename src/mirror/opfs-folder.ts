import type { MirrorFile, MirrorFolder } from './mirror-folder.ts'
import { opfsDirectory } from './opfs-directory.ts'

/** A method of file handles that only workers have, so that the types of a page lack it. */
interface WritableHandle {
  createSyncAccessHandle(): Promise<MirrorFile>
}

/**
 * The folder of a store's mirror in the origin's private file system.
 *
 * @throws the browser's error when the folder is missing and may not be created, or can't be: no storage manager (plain
 *   HTTP), no permission (private windows), no synchronous file access (old browsers)
 */
export async function openOpfsFolder(name: string, mayCreate: boolean): Promise<MirrorFolder> {
  if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype))
    throw new Error('this browser has no synchronous file access')
  const folder = await opfsDirectory(name, mayCreate)
  return {
    list: async () => {
      const names: string[] = []
      for await (const file of folder.keys()) names.push(file)
      return names.sort()
    },
    open: async (file) => {
      const handle = (await folder.getFileHandle(file, { create: true })) as unknown as WritableHandle
      return handle.createSyncAccessHandle().catch(unlessNamed('NoModificationAllowedError'))
    },
    read: async (file) => (await folder.getFileHandle(file).catch(unlessNamed('NotFoundError')))?.getFile(),
    remove: (file) =>
      folder.removeEntry(file).then(
        () => true,
        (error: unknown) => (error as Error).name === 'NotFoundError',
      ),
  }
}

/** Ignores an error of this name, and throws any other again. */
function unlessNamed(name: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as Error).name !== name) throw error
  }
}
