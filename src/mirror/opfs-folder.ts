import type { MirrorFile, MirrorFolder } from './mirror-folder.ts'
import { opfsDirectory } from './opfs-directory.ts'

/** What a worker can do with a file, which the types of a page don't know. */
interface WritableHandle {
  createSyncAccessHandle(): Promise<MirrorFile>
}

/**
 * The folder of a store's mirror in the origin's private file system.
 *
 * @throws whatever the browser throws where there is none and none may be made, or none can be: no storage manager (plain HTTP), forbidden (private windows), files that a worker
 * can't write to at once (old browsers)
 */
export async function openOpfsFolder(name: string, mayCreate: boolean): Promise<MirrorFolder> {
  if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) throw new Error('no file can be written to')
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
    remove: (file) => folder.removeEntry(file).then(() => true, (error: unknown) => (error as Error).name === 'NotFoundError'),
  }
}

/** Another error than one of this name is thrown on. */
function unlessNamed(name: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as Error).name !== name) throw error
  }
}
