import { decodeStateVector } from 'yjs'

/** A state vector from elsewhere, by client. Invalid bytes count as an empty one. */
export function readStateVector(bytes: Uint8Array): ReadonlyMap<number, number> {
  try {
    return decodeStateVector(bytes)
  } catch {
    return new Map()
  }
}
