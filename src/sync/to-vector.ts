import type { VersionVector } from '../contract/entry.ts'
import { writerKey } from '../domain/address.ts'

/** The version vector in the state vector of a session's document. */
export function toVector(counts: ReadonlyMap<number, number>): VersionVector {
  return Object.fromEntries([...counts].map(([w, next]) => [writerKey(w), next]))
}
