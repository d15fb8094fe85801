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
  const found = request.method === 'HEAD' ? undefined : await blobs.read(namespace, hash).catch(fail)
  if (found === undefined && request.method !== 'HEAD') return sendText(response, 404, 'no such blob')
  // Not before it is had: what is answered instead has another length, and is not kept for a year.
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Length': found?.size ?? size,
  })
  if (found === undefined) return void response.end()
  await pipeline(found.body, response)
}
