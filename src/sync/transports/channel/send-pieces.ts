import * as Y from 'yjs'
import type { Clocks } from '../clocks.ts'
import { nextPiece } from '../update-piece.ts'

/**
 * Sends what a document holds beyond `from`, in pieces; after the last one, what it has deleted.
 *
 * @param most - how many pieces to send at most
 */
export function sendPieces(doc: Y.Doc, from: Clocks, most: number, send: (update: Uint8Array) => void): void {
  let reached = from
  for (let i = 0; i < most; i++) {
    const piece = nextPiece(doc, reached)
    if (piece !== undefined) send(piece.update)
    if (piece === undefined || piece.isLast) {
      const deletions = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(doc))
      if (deletions.length > 2) send(deletions)
      return
    }
    reached = piece.reached
  }
}
