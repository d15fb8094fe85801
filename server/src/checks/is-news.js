import * as Y from 'yjs'

/**
 * Whether an update says anything that a document doesn't have. Each reconnecting client sends all that it knows to be deleted once
 * more, which would otherwise be stored each time.
 *
 * @param {Y.Doc} document
 * @param {Uint8Array} update
 * @param {ReturnType<typeof Y.decodeUpdate>} decoded - the same update
 */
export function isNews(document, update, { structs, ds }) {
  if (structs.some(({ id, length }) => id.clock + length > Y.getState(document.store, id.client))) return true
  return ds.clients.size > 0 && !Y.snapshotContainsUpdate(Y.snapshot(document), update)
}
