import { hash53 } from '../../domain/hash53.ts'

/**
 * Where a small note about a store is kept in the files of the origin (OPFS): in a file of its own for each store and
 * kind.
 */
export interface OriginFile {
  /** What was noted; `undefined` when nothing was, or there are no such files. */
  read(): Promise<string | undefined>
  /**
   * Puts a text in the place of the one before, whole or not at all. @returns whether this realm has files that it can
   * write
   */
  write(text: string): Promise<boolean>
  remove(): Promise<void>
}

/**
 * A note about the store `name`, beside the folders of the mirrors, so that a mirror of the same store does not take it
 * for one of its files.
 *
 * @param kind - the end of the file's name
 */
export function originFile(name: string, kind: string): OriginFile {
  const file = `${encodeURIComponent(name).slice(0, 100)}.${hash53(name).toString(36)}.${kind}`
  return {
    read: async () => {
      try {
        return await (await (await (await folder(false))?.getFileHandle(file))?.getFile())?.text()
      } catch {
        return undefined
      }
    },
    write: async (text) => {
      try {
        const handle = await (await folder(true))?.getFileHandle(file, { create: true })
        const writing = await handle?.createWritable()
        await writing?.write(text)
        await writing?.close()
        return writing !== undefined
      } catch {
        // Not every browser has files that a page can write, and some are full.
        return false
      }
    },
    remove: async () => (await folder(false))?.removeEntry(file).catch(() => undefined),
  }
}

async function folder(create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
  const storage = (globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined
  const root = await storage?.getDirectory?.().catch(() => undefined)
  return root?.getDirectoryHandle('keepsession', { create }).catch(() => undefined)
}
