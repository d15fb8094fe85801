import { rm } from 'node:fs/promises'
import { decide } from '../access/decide.js'
import { parseDocumentName } from '../checks/parse-document-name.js'
import { Refusal } from '../refusal.js'
import { isSealed } from './is-sealed.js'
import { receiveFile, TooBig } from './receive-file.js'
import { sendText } from './send-text.js'
import { serveBlob } from './serve-blob.js'

/** @type {Partial<Record<import('../refusal.js').RefusalName, number>>} */
const STATUS = { 'authorise-failed': 503, 'token-expired': 401, 'storage-full': 507, 'storage-failed': 503 }

/**
 * `PUT`, `GET` and `HEAD` of `/blobs/<namespace>/<sha256>`, with the same token as a document in `Authorization: Bearer
 * …`. Content must have the hash it is put under; so a blob never changes, and putting it twice is fine. `sealed-<64
 * digits>` names content that devices have encrypted. Only they can verify it, so the first content that is put there
 * stays.
 *
 * @param {{ blobs: import('../store/store.js').BlobStore, authorise: import('../options.js').Authorise, health: import('../store/storage-health.js').StorageHealth, limits: import('../options.js').Limits, metrics: import('../http/metrics.js').Metrics }} setup
 */
export function answerBlobs({ blobs, authorise, health, limits, metrics }) {
  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {string} namespace
   * @param {string} hash
   */
  const put = async (request, response, namespace, hash) => {
    if (Number(request.headers['content-length'] ?? 0) > limits.blobBytes) throw new TooBig()
    const isThere = async () => isSealed(hash) && (await blobs.size(namespace, hash).catch(fail)) !== undefined
    if (await isThere()) return void response.writeHead(201).end()
    const file = receiveFile(request, blobs.temporary, limits.blobBytes)
    try {
      const found = await file.hash.catch((error) => {
        // The client went away, which says nothing about the disk.
        if (error instanceof TooBig || !request.complete) throw error
        throw health.failed(error)
      })
      if (!isSealed(hash) && found !== hash) return sendText(response, 422, `the content has the hash ${found}`)
      // Another device may have sent it meanwhile.
      if (!(await isThere())) {
        await blobs.put(namespace, hash, file.path).catch(fail)
        metrics.count('blobs_stored_total')
      }
      health.worked()
      response.writeHead(201).end()
    } finally {
      await rm(file.path, { force: true }).catch(() => {})
    }
  }

  /**
   * @param {unknown} error
   * @returns {never}
   */
  const fail = (error) => {
    throw health.failed(error)
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {string} path - behind `/blobs/`
   */
  return async (request, response, path) => {
    const { namespace, hash } = parsePath(path) ?? {}
    if (namespace === undefined || hash === undefined)
      return sendText(response, 404, 'blobs are at /blobs/<namespace>/<sha256>')
    try {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const { access } = await decide(authorise, token, `${namespace}/blobs/${hash}`)
      if (request.method === 'GET' || request.method === 'HEAD')
        return await serveBlob({ blobs, health }, request, response, { namespace, hash })
      if (request.method !== 'PUT') return sendText(response, 405, 'GET, HEAD or PUT')
      if (access === 'read') throw new Refusal('denied', 'this token reads only')
      await put(request, response, namespace, hash)
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      if (error instanceof TooBig) {
        metrics.refuse('blob-too-big')
        return sendText(response, 413, `a blob may have ${limits.blobBytes} bytes`)
      }
      if (!(error instanceof Refusal)) return void response.destroy()
      metrics.refuse(error.name)
      sendText(response, STATUS[error.name] ?? 403, error.reason)
    }
  }
}

/**
 * @param {string} path
 * @returns {{ namespace: string, hash: string } | undefined}
 */
function parsePath(path) {
  const [, encoded, hash] = /^([^/]+)\/((?:sealed-)?[0-9a-f]{64})$/.exec(path) ?? []
  if (encoded === undefined || hash === undefined) return undefined
  try {
    const { namespace } = parseDocumentName(`${decodeURIComponent(encoded)}/index`) ?? {}
    return namespace === undefined ? undefined : { namespace, hash }
  } catch {
    return undefined
  }
}
