import * as Y from 'yjs'

/**
 * Brings stored updates into an open document. One that Yjs can't apply doesn't keep the others from being served: it stays stored.
 *
 * @param {Y.Doc} document
 * @param {readonly Uint8Array[]} updates
 * @param {(message: string) => void} say
 */
export function applyUpdates(document, updates, say) {
  if (updates.length === 0) return
  document.transact(
    () => {
      for (const update of updates) {
        try {
          Y.applyUpdate(document, update)
        } catch (error) {
          say(`A stored update of ${/** @type {{ name?: string }} */ (document).name} can't be applied: ${error}`)
        }
      }
    },
    { source: 'local', skipStoreHooks: true },
  )
}
