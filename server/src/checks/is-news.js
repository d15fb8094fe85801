import * as Y from 'yjs'

/**
 * Whether an update has anything that a document does not have. Each reconnecting client sends all deletions that it
 * knows once more, which would otherwise be stored each time.
 *
 * @param {Y.Doc} document
 * @param {Uint8Array} update
 * @param {ReturnType<typeof Y.decodeUpdate>} decoded - the same update
 */
export function isNews(document, update, { structs, ds }) {
  if (structs.some(({ id, length }) => id.clock + length > Y.getState(document.store, id.client))) return true
  return ds.clients.size > 0 && !Y.snapshotContainsUpdate(Y.snapshot(document), update)
}
