import { open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileName } from '../store/folder/file-name.js'
import { makeFolder } from '../store/folder/make-folder.js'
import { syncFolder } from '../store/folder/sync-folder.js'
import { isSealed } from './is-sealed.js'
import { placeFirst } from './place-first.js'

/**
 * Blobs as files below a folder: `blobs/<namespace>/<first two digits>/<hash>`.
 *
 * @param {string} folder
 * @returns {import('../store/store.js').BlobStore}
 */
export function folderBlobs(folder) {
  /**
   * @param {string} namespace
   * @param {string} hash
   */
  const place = (namespace, hash) => join(folder, 'blobs', fileName(namespace), hash.slice(0, 2), hash)
  /** @param {string} path */
  const sizeOf = (path) => stat(path).then(({ size }) => size, ifMissing)

  return {
    temporary: join(folder, 'uploads'),
    size: (namespace, hash) => sizeOf(place(namespace, hash)),
    async read(namespace, hash) {
      const file = await open(place(namespace, hash), 'r').catch(ifMissing)
      if (file === undefined) return undefined
      // Ends with the stream, which is read from now on or destroyed.
      return { size: (await file.stat()).size, body: file.createReadStream() }
    },
    async put(namespace, hash, path) {
      const target = place(namespace, hash)
      await makeFolder(dirname(target))
      const file = await open(path, 'r+')
      try {
        await file.sync()
      } finally {
        await file.close()
      }
      // Content that has its hash replaces what a disk has damaged. Sealed content could be anything: the first stays.
      await (isSealed(hash) ? placeFirst(path, target) : rename(path, target))
      await syncFolder(dirname(target))
    },
  }
}

/**
 * @param {NodeJS.ErrnoException} error
 * @returns {undefined}
 */
function ifMissing(error) {
  if (error.code !== 'ENOENT') throw error
}
