import { applyUpdates } from './apply-updates.js'
import { catchUpDocuments } from './catch-up-documents.js'
import { eraseFromLogs } from './erase-from-logs.js'
import { Refusal } from './refusal.js'
import { holdsErased } from './store/holds-erased.js'
import { storeUpdate } from './store-update.js'
import { SYNC_STEP_1 } from './sync-step.js'

/**
 * The extension that checks updates and stores them before Hocuspocus applies them, passes them on and confirms to the client that they
 * are stored (SyncStatus). So everything that was confirmed to a client, everything in the server's state vector, and everything that
 * other clients have seen is durable. Hocuspocus' own hook for storing, `onStoreDocument`, is called seconds later and is not used.
 *
 * @param {{ store: import('./store/store.js').DocumentStore, health: import('./store/storage-health.js').StorageHealth, limits: import('./options.js').Limits, metrics: import('./http/metrics.js').Metrics, say: (message: string) => void }} setup
 * @returns {{ extension: import('@hocuspocus/server').Extension, catchUp(document: import('yjs').Doc): Promise<void>, finish(): Promise<void> }}
 * `catchUp` brings what other nodes have stored; `finish` removes what was erased, as long as there is time
 */
export function keepDocuments({ store, health, limits, metrics, say }) {
  /** @type {WeakMap<import('yjs').Doc, import('./store/store.js').DocumentLog>} */
  const logs = new WeakMap()
  /** @param {import('yjs').Doc} document */
  const logOf = (document) => logs.get(document)
  const eraser = eraseFromLogs({ logOf, say })
  const keep = storeUpdate({ logOf, eraser, health, limits, metrics, say })
  const catchUp = catchUpDocuments({ logOf, health, say })

  return {
    catchUp,
    finish: eraser.finish,
    extension: {
      async onLoadDocument({ document, documentName }) {
        try {
          const { updates, log } = await store.open(documentName)
          applyUpdates(document, updates, say)
          logs.set(document, log)
          // The previous server may have ended before it could remove erased content.
          if (holdsErased(updates, document)) eraser.add(log)
          void eraser.eraseIfEmpty(document)
          document.on('update', (_, __, ___, { deleteSet }) => {
            if (deleteSet.clients.size > 0) void eraser.eraseIfEmpty(document)
          })
          document.once('destroy', () => {
            logs.delete(document)
            void log
              .close({ compact: eraser.take(log) })
              .catch((error) => say(`${documentName} could not be closed: ${error}`))
          })
        } catch (error) {
          throw health.failed(error)
        }
      },
      async connected({ connection }) {
        // The last updates of a node that died may be in the database only.
        if (store.shared) void catchUp(connection.document)
      },
      async beforeSync(message) {
        // Hocuspocus itself answers "not stored" to a client that may only read.
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
