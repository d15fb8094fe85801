import * as Y from 'yjs'

/**
 * Whether updates still have content that is deleted in the document that they make up.
 *
 * @param {readonly Uint8Array[]} updates
 * @param {Y.Doc} document - has them all
 */
export function holdsErased(updates, document) {
  const erased = Y.createDeleteSetFromStructStore(document.store).clients
  if (erased.size === 0) return false
  return updates.some((update) =>
    decode(update).some((struct) => {
      if (!(struct instanceof Y.Item) || struct.content instanceof Y.ContentDeleted) return false
      const { client, clock } = struct.id
      return (
        erased.get(client)?.some((range) => range.clock < clock + struct.length && clock < range.clock + range.len) ??
        false
      )
    }),
  )
}

/** @param {Uint8Array} update */
function decode(update) {
  try {
    return Y.decodeUpdate(update).structs
  } catch {
    // Updates that cannot be applied cannot be merged into one state either.
    return []
  }
}
