import type { MirrorFile, MirrorFolder } from './mirror-folder.ts'
import { opfsDirectory } from './opfs-directory.ts'

/** What a worker can do with a file, which the types of a page don't know. */
interface WritableHandle {
  createSyncAccessHandle(): Promise<MirrorFile>
  move(name: string): Promise<void>
}

/**
 * The folder of a store's mirror in the origin's private file system.
 *
 * @throws whatever the browser throws where there is none: no storage manager (plain HTTP), forbidden (private windows), files that a worker
 * can't write to at once (old browsers)
 */
export async function openOpfsFolder(name: string): Promise<MirrorFolder> {
  if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) throw new Error('files can\'t be written to here')
  const folder = await opfsDirectory(name)

  const find = (file: string): Promise<FileSystemFileHandle | undefined> => folder.getFileHandle(file).catch(unlessNamed('NotFoundError'))
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
    read: async (file) => (await find(file))?.getFile(),
    rename: async (from, to) => {
      const handle = await find(from)
      if (handle === undefined) return false
      await (handle as unknown as WritableHandle).move(to)
      return true
    },
    remove: (file) => folder.removeEntry(file).then(() => true, (error: unknown) => (error as Error).name === 'NotFoundError'),
  }
}

/** Another error than one of this name is thrown on. */
function unlessNamed(name: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as Error).name !== name) throw error
  }
}
