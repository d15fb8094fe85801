import { parseDocumentName } from '../checks/parse-document-name.js'

/**
 * A store that keeps nothing of the documents in which devices pair.
 *
 * @param {import('../store/store.js').DocumentStore} store
 * @returns {import('../store/store.js').DocumentStore}
 */
export function skipPairingRooms(store) {
  return {
    ...store,
    open: async (name) => (parseDocumentName(name)?.kind === 'pair' ? { updates: [], log: NOTHING } : store.open(name)),
  }
}

/** @type {import('../store/store.js').DocumentLog} */
const NOTHING = {
  size: 0,
  append: async () => {},
  compact: async () => {},
  newer: async () => [],
  close: async () => {},
}
