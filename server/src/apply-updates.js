import * as Y from 'yjs'

/**
 * Applies stored updates to an open document. An update that Yjs cannot apply stays stored and does not prevent the
 * others from being served.
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
