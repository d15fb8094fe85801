import * as Y from 'yjs'

/** Whether an update has elements that are beside others, of other clients, which the document does not have. */
export function lacksOrigins(doc: Y.Doc, update: Uint8Array): boolean {
  const isLacking = (by: number, id: Y.ID | null): boolean =>
    id !== null && id.client !== by && id.clock >= Y.getState(doc.store, id.client)
  try {
    return Y.decodeUpdate(update).structs.some(
      (struct) =>
        struct instanceof Y.Item &&
        [struct.origin, struct.rightOrigin].some((origin) => isLacking(struct.id.client, origin)),
    )
  } catch {
    // It is none: nothing will come that makes it one.
    return false
  }
}
