import { vi } from 'vitest'
import type { MemoryFolder } from './memory-folder.ts'

/** A private file system in Node, which has one folder. */
export interface FakeOpfs {
  /** From now on it does not answer until it is let go on. @returns that function */
  hang(): () => void
}

/** Replaces the private file system of this realm, until `vi.unstubAllGlobals`. */
export function fakeOpfs(folder: MemoryFolder): FakeOpfs {
  let answering: Promise<void> = Promise.resolve()
  const fileHandle = (name: string): object => ({
    createSyncAccessHandle: async () => {
      const file = await folder.open(name)
      if (file === undefined) throw new DOMException('It is in use.', 'NoModificationAllowedError')
      return file
    },
    getFile: async () => folder.read(name),
  })
  const directory = {
    getDirectoryHandle: async () => directory,
    getFileHandle: async (name: string, { create = false } = {}) => {
      if (!create && !folder.files.has(name)) throw new DOMException('It is missing.', 'NotFoundError')
      return fileHandle(name)
    },
    removeEntry: async (name: string) => {
      if (!(await folder.remove(name))) throw new DOMException('It is in use.', 'NoModificationAllowedError')
    },
    keys: async function* () {
      yield* await folder.list()
    },
  }
  vi.stubGlobal(
    'FileSystemFileHandle',
    class {
      createSyncAccessHandle(): void {}
    },
  )
  vi.stubGlobal('navigator', {
    storage: {
      getDirectory: async () => {
        await answering
        return directory
      },
    },
  })
  return {
    hang: () => {
      let goOn: () => void = () => undefined
      answering = new Promise((resolve) => (goOn = resolve))
      return goOn
    },
  }
}
