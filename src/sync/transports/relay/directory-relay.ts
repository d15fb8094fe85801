import type { RelayStore } from './relay-store.ts'

/**
 * A folder of the File System Access API, such as one that a cloud drive copies, or of OPFS. The app has to ask for its
 * permission: without it a document ends with `denied`.
 */
export function directoryRelay(root: FileSystemDirectoryHandle): Required<RelayStore> {
  const folderOf = async (
    path: string,
    create: boolean,
  ): Promise<[folder: FileSystemDirectoryHandle, name: string]> => {
    const parts = path.split('/')
    const name = parts.pop()!
    let folder = root
    for (const part of parts) folder = await folder.getDirectoryHandle(part, { create })
    return [folder, name]
  }

  return {
    put: async (path, bytes) => {
      const [folder, name] = await folderOf(path, true)
      const writing = await (await folder.getFileHandle(name, { create: true })).createWritable()
      try {
        await writing.write(bytes)
      } catch (error) {
        await writing.abort().catch(() => undefined)
        throw error
      }
      // Only now the file is there, as a whole.
      await writing.close()
    },
    get: async (path) => {
      try {
        const [folder, name] = await folderOf(path, false)
        return new Uint8Array(await (await (await folder.getFileHandle(name)).getFile()).arrayBuffer())
      } catch (error) {
        return unlessMissing(error, undefined)
      }
    },
    list: async (prefix) => {
      try {
        const [folder] = await folderOf(prefix, false)
        const paths: string[] = []
        for await (const [name, { kind }] of folder.entries()) if (kind === 'file') paths.push(prefix + name)
        return paths
      } catch (error) {
        return unlessMissing(error, [])
      }
    },
    remove: async (path) => {
      try {
        const [folder, name] = await folderOf(path, false)
        await folder.removeEntry(name)
      } catch (error) {
        unlessMissing(error, undefined)
      }
    },
  }
}

function unlessMissing<T>(error: unknown, otherwise: T): T {
  if ((error as Error).name === 'NotFoundError') return otherwise
  throw error
}
