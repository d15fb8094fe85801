import * as Y from 'yjs'

/** A document under a key that is no longer used, whose content the server is to forget. */
export interface RetiredDocument {
  /** What a transport sends on: deletions of what came. Nothing is ever read out of it. */
  readonly doc: Y.Doc
  /** Takes in what the server has, and deletes of it what is elsewhere. Never rejects; what is no update is passed over. */
  receive(update: Uint8Array, origin: unknown): Promise<void>
  /** Elements that came and are not elsewhere: fetch the document with its old key before it is tried again. */
  left(): number
  destroy(): void
}

/** @param isElsewhere - whether an element is in the document under the new key, for certain */
export function openRetiredDocument(name: string, isElsewhere: (w: number, s: number) => boolean): RetiredDocument {
  const doc = new Y.Doc({ guid: name })

  const living = (): Y.Item[] => [...doc.store.clients.values()].flatMap((structs) => structs.filter((struct) => struct instanceof Y.Item && !struct.deleted) as Y.Item[])
  const mayGo = ({ id, length }: Y.Item): boolean => {
    for (let s = id.clock; s < id.clock + length; s++) if (!isElsewhere(id.client, s)) return false
    return true
  }

  return {
    doc,
    receive: (update, origin) => {
      try {
        Y.applyUpdate(doc, update, origin)
        // Of a transaction of its own: what has the connection as its origin is not sent back to it.
        doc.transact((transaction) => living().filter(mayGo).forEach((item) => item.delete(transaction)))
      } catch {
        // Whatever it was, there is nothing here that it could spoil.
      }
      return Promise.resolve()
    },
    left: () => living().reduce((count, { length }) => count + length, 0),
    destroy: () => doc.destroy(),
  }
}
