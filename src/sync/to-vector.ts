import { writerKey } from '../domain/address.ts'
import type { VersionVector } from '../contract/entry.ts'

/** What a state vector of a session's document says of its writers. */
export function toVector(counts: ReadonlyMap<number, number>): VersionVector {
  return Object.fromEntries([...counts].map(([w, next]) => [writerKey(w), next]))
}
