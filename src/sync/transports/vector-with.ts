import * as Y from 'yjs'

/**
 * The state vector that a document has once these updates are applied, so that the other side does not send them again.
 * Updates that leave a gap are not counted: the part in between has to be requested.
 */
export function vectorWith(doc: Y.Doc, updates: Iterable<Uint8Array>): Uint8Array {
  const clocks = new Map(Y.decodeStateVector(Y.encodeStateVector(doc)))
  for (const update of updates) {
    try {
      const { from, to } = Y.parseUpdateMeta(update)
      for (const [client, next] of to)
        if ((from.get(client) ?? 0) <= (clocks.get(client) ?? 0))
          clocks.set(client, Math.max(next, clocks.get(client) ?? 0))
    } catch {
      // An invalid update is reported when it is processed.
    }
  }
  return Y.encodeStateVector(clocks)
}
