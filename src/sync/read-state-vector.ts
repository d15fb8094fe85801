import { decodeStateVector } from 'yjs'

/** A state vector from elsewhere, by client. Bytes that are none say that they have nothing. */
export function readStateVector(bytes: Uint8Array): ReadonlyMap<number, number> {
  try {
    return decodeStateVector(bytes)
  } catch {
    return new Map()
  }
}
