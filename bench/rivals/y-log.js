import { fetchUpdates, IndexeddbPersistence } from 'y-indexeddb'
import { Doc } from 'yjs'

/** @param {string} name */
export async function openYLog(name) {
  const doc = new Doc()
  const persistence = new IndexeddbPersistence(name, doc)
  await persistence.whenSynced
  const messages = doc.getArray('messages')
  // It does not tell when an update is stored. A later transaction on the same store begins after that.
  const stored = () => fetchUpdates(persistence)

  return {
    /** @param {object} message */
    append: async (message) => {
      messages.push([message])
      await stored()
    },
    /** @param {readonly object[]} added */
    appendEach: async (added) => {
      for (const message of added) messages.push([message])
      await stored()
    },
    /** @param {readonly object[]} added */
    appendAll: async (added) => {
      messages.push([...added])
      await stored()
    },
    all: () => messages.toArray(),
    close: async () => {
      await persistence.destroy()
      doc.destroy()
    },
  }
}
