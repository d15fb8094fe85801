import type * as Y from 'yjs'
import { deletionsOf, unknownDeletions } from './deletions.ts'

/** The deletions of a document that the other side is not known to have. */
export interface UnsentDeletions {
  /** The other side says what it has deleted, in an update. @returns whether it is the first one, which says it all */
  peerHas(update: Uint8Array): boolean
  /** A transaction has changed the document. @param onMore - called when its deletions are here */
  note(transaction: Y.Transaction, onMore: () => void): void
  take(): readonly Uint8Array[]
  close(): void
}

export function createUnsentDeletions(doc: Y.Doc): UnsentDeletions {
  let unsent: Uint8Array[] = []
  let isKnown = false
  let isClosed = false
  return {
    peerHas: (update) => {
      if (isKnown) return false
      isKnown = true
      const ours = unknownDeletions(doc, update)
      if (ours !== undefined) unsent.push(ours)
      return true
    },
    note: ({ deleteSet }, onMore) => {
      if (!isKnown || deleteSet.clients.size === 0) return
      // The update event with the deletions comes next.
      doc.once('update', (update: Uint8Array) => {
        if (isClosed) return
        unsent.push(deletionsOf(doc, update))
        onMore()
      })
    },
    take: () => {
      const taken = unsent
      unsent = []
      return taken
    },
    close: () => {
      isClosed = true
    },
  }
}
