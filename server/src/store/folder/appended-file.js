import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.js'

/**
 * A file that only grows, and always ends with acknowledged content: a failed write leaves nothing behind. Another file
 * can take its place.
 *
 * @typedef {ReturnType<typeof appendedFile>} AppendedFile
 * @param {string} path
 * @param {import('node:fs/promises').FileHandle} file
 * @param {number} length - its valid bytes
 */
export function appendedFile(path, file, length) {
  let size = length
  /** False while the file may end with the rest of a write that failed. */
  let isClean = true
  /** False while the folder may still name another file after a power cut: then nothing may be acknowledged. */
  let isPlaced = length > 0
  const place = async () => {
    await syncFolder(dirname(path))
    isPlaced = true
  }

  return {
    /** The valid bytes. */
    get size() {
      return size
    },
    /** Appends these; durable when it resolves. @param {readonly Uint8Array[]} parts */
    async write(parts) {
      if (!isPlaced) await place()
      if (!isClean) await file.truncate(size)
      isClean = false
      const { bytesWritten } = await file.writev([...parts])
      const wanted = lengthOf(parts)
      // A full disk writes what it can, and reports an error only at the next call.
      if (bytesWritten < wanted)
        throw Object.assign(new Error(`Only ${bytesWritten} of ${wanted} bytes could be written`), { code: 'ENOSPC' })
      await file.datasync()
      size += wanted
      isClean = true
    },
    /** Removes the rest of a write that failed. If this fails, the next write does it. */
    async clean() {
      await file.truncate(size)
      isClean = true
    },
    /**
     * From now on another file has the path, and gets the next writes.
     *
     * @param {import('node:fs/promises').FileHandle} next
     * @param {number} nextLength
     */
    async replace(next, nextLength) {
      const old = file
      file = next
      size = nextLength
      isClean = true
      isPlaced = false
      await old.close()
      await place()
    },
    close: () => file.close(),
  }
}

/** @param {readonly Uint8Array[]} parts */
export const lengthOf = (parts) => parts.reduce((sum, { length }) => sum + length, 0)
