import { applyUpdates } from './apply-updates.js'

/**
 * Applies to open documents what other nodes have stored, once for all callers that ask at the same time.
 *
 * @param {{ logOf(document: import('yjs').Doc): import('./store/store.js').DocumentLog | undefined, health:
 *   import('./store/storage-health.js').StorageHealth, say: (message: string) => void }} setup
 * @returns {(document: import('yjs').Doc) => Promise<void>} never rejects
 */
export function catchUpDocuments({ logOf, health, say }) {
  /** @type {WeakMap<import('yjs').Doc, Promise<void>>} */
  const running = new WeakMap()

  /** @param {import('yjs').Doc} document */
  const readNewer = async (document) => {
    try {
      const updates = (await logOf(document)?.newer()) ?? []
      applyUpdates(document, updates, say)
    } catch (error) {
      health.failed(error)
    } finally {
      running.delete(document)
    }
  }
  return (document) => {
    const catchingUp = running.get(document) ?? readNewer(document)
    if (logOf(document) !== undefined) running.set(document, catchingUp)
    return catchingUp
  }
}
