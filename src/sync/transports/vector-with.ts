import * as Y from 'yjs'

/**
 * The state vector of a document once it has taken in these updates, so that the other side does not send them again. What follows on nothing that
 * is here is not counted: it is to be asked for what lies between.
 */
export function vectorWith(doc: Y.Doc, updates: Iterable<Uint8Array>): Uint8Array {
  const clocks = new Map(Y.decodeStateVector(Y.encodeStateVector(doc)))
  for (const update of updates) {
    try {
      const { from, to } = Y.parseUpdateMeta(update)
      for (const [client, next] of to) if ((from.get(client) ?? 0) <= (clocks.get(client) ?? 0)) clocks.set(client, Math.max(next, clocks.get(client) ?? 0))
    } catch {
      // No update: whoever takes it in says so.
    }
  }
  return Y.encodeStateVector(clocks)
}
