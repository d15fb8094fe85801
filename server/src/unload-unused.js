/**
 * The extension that unloads a document whose last client was gone before it was let in. Hocuspocus forgets that one if
 * devices of another node are present in the document: it tells the client of them first, and finds its socket closed.
 *
 * @type {import('@hocuspocus/server').Extension}
 */
export const unloadUnused = {
  async afterLoadDocument({ document, instance }) {
    const remove = document.removeConnection.bind(document)
    document.removeConnection = (connection) => {
      remove(connection)
      void connection.waitForPendingMessages().then(() => {
        // Once whoever is being let in is in. It stays if it is in use.
        setImmediate(() => void instance.unloadDocument(document))
      })
      return document
    }
  },
}
