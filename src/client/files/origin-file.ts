import { hash53 } from '../../domain/hash53.ts'

/** A small note about a store in the files of the origin (OPFS). Each store and kind has a file of its own. */
export interface OriginFile {
  /** The note; `undefined` if there is none, or there are no such files. */
  read(): Promise<string | undefined>
  /** Replaces the note, completely or not at all. @returns whether this realm can write such files */
  write(text: string): Promise<boolean>
  remove(): Promise<void>
}

/**
 * A note about the store `name`, outside of the mirrors' folders, so that the mirror of a store does not take it for
 * one of its files.
 *
 * @param kind - the suffix of the file name
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
