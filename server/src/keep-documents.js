import { applyUpdates } from './apply-updates.js'
import { checkUpdate } from './checks/check-update.js'
import { isNews } from './checks/is-news.js'
import { parseDocumentName } from './checks/parse-document-name.js'
import { Refusal } from './refusal.js'
import { holdsErased } from './store/holds-erased.js'
import { SYNC_STEP_1 } from './sync-step.js'

/** Milliseconds after which a server that stops begins to compact no other document. */
const MOST_FINISHING = 2_000

/**
 * The extension that checks updates and stores them before Hocuspocus applies them, passes them on and tells the client that they are
 * stored (SyncStatus). What a client has been told, and what the server's state vector covers, is therefore durable; and what another
 * client has seen, too. Hocuspocus' own way to store, `onStoreDocument`, comes seconds later and isn't used.
 *
 * @param {{ store: import('./store/store.js').DocumentStore, health: import('./store/storage-health.js').StorageHealth, limits: import('./options.js').Limits, metrics: import('./http/metrics.js').Metrics, say: (message: string) => void }} setup
 * @returns {{ extension: import('@hocuspocus/server').Extension, catchUp(document: import('yjs').Doc): Promise<void>, finish(): Promise<void> }}
 * `catchUp` brings what other nodes have stored, `finish` takes out what was erased as long as there is time; the next to open those documents does the rest
 */
export function keepDocuments({ store, health, limits, metrics, say }) {
  /** @type {WeakMap<import('yjs').Doc, import('./store/store.js').DocumentLog>} */
  const logs = new WeakMap()
  /** The size at which a log was found to be too big even as one state. @type {WeakMap<import('./store/store.js').DocumentLog, number>} */
  const fullAt = new WeakMap()
  /** Open logs that still hold what was erased. @type {Set<import('./store/store.js').DocumentLog>} */
  const holding = new Set()

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

  /**
   * @param {import('@hocuspocus/server').beforeSyncPayload} message
   */
  const keep = async ({ document, documentName, payload }) => {
    const decoded = checkUpdate(parseDocumentName(documentName)?.kind ?? 'session', payload)
    if (!isNews(document, payload, decoded)) return
    const log = logs.get(document)
    if (log === undefined || document.isDestroyed) throw new Refusal('stopping')
    // What only deletes makes room.
    if (decoded.structs.length > 0) await makeRoom(log, payload.length)
    const start = performance.now()
    try {
      await log.append(payload)
    } catch (error) {
      throw health.failed(error)
    }
    if (decoded.ds.clients.size > 0 && logs.get(document) === log) holding.add(log)
    health.worked()
    metrics.storing((performance.now() - start) / 1000)
    metrics.count('updates_total')
    metrics.count('stored_bytes_total', payload.length)
  }

  /**
   * A session that was purged is to be gone from the disk at once. Of a part of one that goes on, the rest would be written anew each time.
   *
   * @param {import('yjs').Doc} document
   */
  const letGo = async (document) => {
    const log = logs.get(document)
    if (log === undefined || !holding.has(log) || !isEmpty(document)) return
    holding.delete(log)
    await log.compact().catch((error) => {
      if (logs.get(document) === log) holding.add(log)
      sayHeld(error)
    })
  }
  /** @param {unknown} error */
  const sayHeld = (error) => say(`What was erased from a document could not be taken out of its log: ${error}`)

  /** @type {WeakMap<import('yjs').Doc, Promise<void>>} */
  const catchingUp = new WeakMap()
  /** @param {import('yjs').Doc} document */
  const readNewer = async (document) => {
    try {
      const updates = (await logs.get(document)?.newer()) ?? []
      applyUpdates(document, updates, say)
    } catch (error) {
      health.failed(error)
    } finally {
      catchingUp.delete(document)
    }
  }
  /** @param {import('yjs').Doc} document */
  const catchUp = (document) => {
    const running = catchingUp.get(document) ?? readNewer(document)
    if (logs.has(document)) catchingUp.set(document, running)
    return running
  }

  return {
    catchUp,
    async finish() {
      const end = performance.now() + MOST_FINISHING
      for (const log of holding) {
        if (performance.now() > end) return
        holding.delete(log)
        await log.compact().catch(sayHeld)
      }
    },
    extension: {
      async onLoadDocument({ document, documentName }) {
        try {
          const { updates, log } = await store.open(documentName)
          applyUpdates(document, updates, say)
          logs.set(document, log)
          // Where the server ended before it could be let go of.
          if (holdsErased(updates, document)) holding.add(log)
          void letGo(document)
          document.on('update', (_, __, ___, { deleteSet }) => {
            if (deleteSet.clients.size > 0) void letGo(document)
          })
          document.once('destroy', () => {
            logs.delete(document)
            void log.close({ compact: holding.delete(log) }).catch((error) => say(`${documentName} could not be closed: ${error}`))
          })
        } catch (error) {
          throw health.failed(error)
        }
      },
      async connected({ connection }) {
        // Of another node that died, the last may be in the database only.
        if (store.shared) void catchUp(connection.document)
      },
      async beforeSync(message) {
        // What a reader sends is answered with "not stored" by Hocuspocus.
        if (message.type === SYNC_STEP_1 || message.connection.readOnly) return
        try {
          await keep(message)
        } catch (error) {
          if (error instanceof Refusal) metrics.refuse(error.name)
          throw error
        }
      },
    },
  }
}

/**
 * Whether nothing is left of what was ever in it.
 *
 * @param {import('yjs').Doc} document
 */
function isEmpty(document) {
  return [...document.share.values()].every(({ _length }) => _length === 0)
}
