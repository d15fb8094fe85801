import * as Y from 'yjs'

/**
 * One update that says what all of these say. By way of a document, which joins structs and drops what was deleted, as
 * `Y.mergeUpdates` doesn't; what waits for updates that are missing stays in it.
 *
 * @param {readonly Uint8Array[]} updates
 * @returns {Uint8Array}
 * @throws when Yjs can't apply one of them: it would be lost
 */
export function mergeUpdates(updates) {
  const doc = new Y.Doc()
  doc.transact(() => {
    for (const update of updates) Y.applyUpdate(doc, update)
  })
  const state = Y.encodeStateAsUpdate(doc)
  doc.destroy()
  return state
}
