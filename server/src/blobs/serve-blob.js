import { pipeline } from 'node:stream/promises'
import { sendText } from './send-text.js'

/**
 * Answers `GET` and `HEAD` of a blob.
 *
 * @param {{ blobs: import('../store/store.js').BlobStore, health: import('../store/storage-health.js').StorageHealth }} setup
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {{ namespace: string, hash: string }} blob
 * @returns {Promise<void>} rejects with a `Refusal` when the storage fails
 */
export async function serveBlob({ blobs, health }, request, response, { namespace, hash }) {
  /** @param {unknown} error @returns {never} */
  const fail = (error) => {
    throw health.failed(error)
  }
  const size = await blobs.size(namespace, hash).catch(fail)
  if (size === undefined) return sendText(response, 404, 'no such blob')
  response.setHeader('Content-Type', 'application/octet-stream')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Content-Security-Policy', 'sandbox')
  response.setHeader('Cache-Control', 'private, max-age=31536000, immutable')
  response.setHeader('Content-Length', size)
  if (request.method === 'HEAD') return void response.end()
  const found = await blobs.read(namespace, hash).catch(fail)
  if (found === undefined) return sendText(response, 404, 'no such blob')
  await pipeline(found.body, response)
}
