import * as Y from 'yjs'

/**
 * Merges updates into one. It uses a document, which joins structs and drops deleted content, unlike `Y.mergeUpdates`;
 * structs that wait for missing updates stay in it.
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
