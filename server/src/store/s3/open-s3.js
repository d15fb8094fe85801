import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { isSealed } from '../../blobs/is-sealed.js'
import { makeUploadFolder } from '../../blobs/make-upload-folder.js'
import { openBucket } from './bucket.js'
import { openS3Log } from './s3-log.js'

/**
 * Documents and blobs in a bucket of S3 or of a compatible service.
 *
 * @param {import('../../options.js').S3Options} options
 * @param {(message: string) => void} say
 * @returns {Promise<{ store: import('../store.js').DocumentStore, blobs: import('../store.js').BlobStore }>} rejects when the bucket
 * can't be written to
 */
export async function openS3(options, say) {
  const bucket = openBucket(options)
  const probe = async () => {
    const key = `probe/${randomUUID()}`
    await bucket.put(key, new Uint8Array([1]))
    await bucket.remove(key)
  }
  /**
   * @param {string} namespace
   * @param {string} hash
   */
  const keyOf = (namespace, hash) => `blobs/${createHash('sha256').update(namespace).digest('hex')}/${hash}`
  await probe()
  const uploads = await makeUploadFolder(say)
  return {
    store: {
      shared: true,
      lost: undefined,
      open: (name) => openS3Log(bucket, name, say),
      probe,
      close: () => rm(uploads, { recursive: true, force: true }),
    },
    blobs: {
      temporary: uploads,
      size: (namespace, hash) => bucket.size(keyOf(namespace, hash)),
      async read(namespace, hash) {
        const content = await bucket.get(keyOf(namespace, hash))
        return content === undefined ? undefined : { size: content.length, body: Readable.from([Buffer.from(content)]) }
      },
      async put(namespace, hash, path) {
        const content = await readFile(path)
        // Sealed content could be anything: of the uploads of several nodes, the first stays.
        await (isSealed(hash)
          ? bucket.putFirst(keyOf(namespace, hash), content)
          : bucket.put(keyOf(namespace, hash), content))
      },
    },
  }
}
