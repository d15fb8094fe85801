import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.js'

/**
 * A file that only grows, and ends with what was promised: a write that failed leaves nothing behind. Another file can take its place.
 *
 * @typedef {ReturnType<typeof appendedFile>} AppendedFile
 * @param {string} path
 * @param {import('node:fs/promises').FileHandle} file
 * @param {number} length - bytes of it that count
 */
export function appendedFile(path, file, length) {
  let size = length
  /** False while the file may end with the rest of a write that failed. */
  let isClean = true
  /** False while the folder may still name another file after a power cut: nothing may be promised then. */
  let isPlaced = length > 0
  const place = async () => {
    await syncFolder(dirname(path))
    isPlaced = true
  }

  return {
    /** Bytes that count. */
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
      // A full disk takes what it can, and reports nothing until the next call.
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
     * Another file has its path from now on. What is written next goes there.
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
