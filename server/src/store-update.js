import { checkUpdate } from './checks/check-update.js'
import { isNews } from './checks/is-news.js'
import { parseDocumentName } from './checks/parse-document-name.js'
import { Refusal } from './refusal.js'

/**
 * Checks updates of clients and stores them.
 *
 * @param {{ logOf(document: import('yjs').Doc): import('./store/store.js').DocumentLog | undefined, eraser: import('./erase-from-logs.js').LogEraser, health: import('./store/storage-health.js').StorageHealth, limits: import('./options.js').Limits, metrics: import('./http/metrics.js').Metrics, say: (message: string) => void }} setup
 * @returns {(message: import('@hocuspocus/server').beforeSyncPayload) => Promise<void>} rejects with a {@link Refusal}
 */
export function storeUpdate({ logOf, eraser, health, limits, metrics, say }) {
  /** The size at which a log was found to be too big even after compaction. @type {WeakMap<import('./store/store.js').DocumentLog, number>} */
  const fullAt = new WeakMap()

  /**
   * @param {import('./store/store.js').DocumentLog} log
   * @param {number} length
   */
  const makeRoom = async (log, length) => {
    if (log.size + length <= limits.documentBytes) return
    if (fullAt.get(log) !== log.size) {
      await log.compact().catch((error) => say(`A document could not be compacted: ${error}`))
      fullAt.set(log, log.size)
    }
    if (log.size + length > limits.documentBytes) throw new Refusal('document-too-big', `${limits.documentBytes} bytes`)
  }

  return async ({ document, documentName, payload }) => {
    const decoded = checkUpdate(parseDocumentName(documentName)?.kind ?? 'session', payload)
    if (!isNews(document, payload, decoded)) return
    const log = logOf(document)
    if (log === undefined || document.isDestroyed) throw new Refusal('stopping')
    // An update that only deletes makes room.
    if (decoded.structs.length > 0) await makeRoom(log, payload.length)
    const start = performance.now()
    try {
      await log.append(payload)
    } catch (error) {
      throw health.failed(error)
    }
    if (decoded.ds.clients.size > 0 && logOf(document) === log) eraser.add(log)
    health.worked()
    metrics.storing((performance.now() - start) / 1000)
    metrics.count('updates_total')
    metrics.count('stored_bytes_total', payload.length)
  }
}
