import * as Y from 'yjs'

/** A document under a key that is no longer used, whose content the server has to delete. */
export interface RetiredDocument {
  /** A transport sends on the deletions in it. Nothing is ever read from it. */
  readonly doc: Y.Doc
  /**
   * Takes in what the server has, and deletes from it what is elsewhere. Never rejects; ignores what is not an update.
   */
  receive(update: Uint8Array, origin: unknown): Promise<void>
  /** How many elements arrived that are not elsewhere: fetch the document with its old key before trying again. */
  left(): number
  destroy(): void
}

/** @param isElsewhere - whether an element certainly is in the document under the new key */
export function openRetiredDocument(name: string, isElsewhere: (w: number, s: number) => boolean): RetiredDocument {
  const doc = new Y.Doc({ guid: name })

  const living = (): Y.Item[] =>
    [...doc.store.clients.values()].flatMap(
      (structs) => structs.filter((struct) => struct instanceof Y.Item && !struct.deleted) as Y.Item[],
    )
  const mayGo = ({ id, length }: Y.Item): boolean => {
    for (let s = id.clock; s < id.clock + length; s++) if (!isElsewhere(id.client, s)) return false
    return true
  }

  return {
    doc,
    receive: (update, origin) => {
      try {
        Y.applyUpdate(doc, update, origin)
        // In a transaction of its own: the connection does not send back what it has as its origin.
        doc.transact((transaction) =>
          living()
            .filter(mayGo)
            .forEach((item) => item.delete(transaction)),
        )
      } catch {
        // There is nothing here that an invalid update could damage.
      }
      return Promise.resolve()
    },
    left: () => living().reduce((count, { length }) => count + length, 0),
    destroy: () => doc.destroy(),
  }
}
