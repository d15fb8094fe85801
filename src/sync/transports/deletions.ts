import * as Y from 'yjs'
import { sameBytes } from '../same-bytes.ts'

const noDeletions = new Uint8Array([0, 0])

/** What the document has deleted, where that differs from what this update of the other side deletes. */
export function unknownDeletions(doc: Y.Doc, update: Uint8Array): Uint8Array | undefined {
  const ours = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(doc))
  return sameBytes(ours, noDeletions) || sameBytes(ours, deletionsOf(doc, update)) ? undefined : ours
}

/** What an update deletes, without its elements. */
export function deletionsOf(doc: Y.Doc, update: Uint8Array): Uint8Array {
  try {
    return Y.diffUpdate(update, everything(doc, update))
  } catch {
    return noDeletions
  }
}

function everything(doc: Y.Doc, update: Uint8Array): Uint8Array {
  const clocks = new Map(Y.decodeStateVector(Y.encodeStateVector(doc)))
  for (const [client, clock] of Y.parseUpdateMeta(update).to)
    clocks.set(client, Math.max(clock, clocks.get(client) ?? 0))
  return Y.encodeStateVector(clocks)
}
