import type { MirrorFile, MirrorFolder } from '../../../src/mirror/mirror-folder.ts'

/** A folder in memory, with what tests need to damage it. */
export interface MemoryFolder extends MirrorFolder {
  readonly files: Map<string, Uint8Array<ArrayBuffer>>
  /** Forgets who has which file open, as the death of all workers does. */
  dieAll(): void
  /** Bytes that may still be written; then there is no more room. */
  room: number
}

export function createMemoryFolder(): MemoryFolder {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  let taken = new Set<string>()

  function open(name: string): MirrorFile | undefined {
    if (taken.has(name)) return undefined
    const holders = taken
    holders.add(name)
    if (!files.has(name)) files.set(name, new Uint8Array())
    const content = (): Uint8Array<ArrayBuffer> => files.get(name)!
    return {
      getSize: () => content().length,
      write: (bytes, { at }) => {
        const growth = Math.max(0, at + bytes.length - content().length)
        if (growth > folder.room) return 0
        folder.room -= growth
        const written = bytes.length
        const grown = new Uint8Array(Math.max(content().length, at + written))
        grown.set(content())
        grown.set(bytes.subarray(0, written), at)
        files.set(name, grown)
        return written
      },
      truncate: (size) => void files.set(name, content().slice(0, size)),
      flush: () => undefined,
      close: () => void holders.delete(name),
    }
  }

  const folder: MemoryFolder = {
    files,
    room: Number.POSITIVE_INFINITY,
    dieAll: () => void (taken = new Set()),
    list: async () => [...files.keys()].sort(),
    open: async (name) => open(name),
    read: async (name) => {
      const content = files.get(name)
      return content === undefined ? undefined : new Blob([content.slice()])
    },
    remove: async (name) => {
      if (taken.has(name)) return false
      files.delete(name)
      return true
    },
  }
  return folder
}
