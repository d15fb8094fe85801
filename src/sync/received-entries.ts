import type { VersionVector } from '../contract/entry.ts'
import { joinVectors } from '../domain/version-vector.ts'

/** How far the writers are whose entries came from elsewhere in this run, by session. */
export interface ReceivedEntries {
  add(key: string, vector: VersionVector): void
  of(key: string): VersionVector
  /** The session was erased here. */
  forget(key: string): void
}

export function createReceivedEntries(): ReceivedEntries {
  const received = new Map<string, VersionVector>()
  const of = (key: string): VersionVector => received.get(key) ?? {}
  return {
    add: (key, vector) => void received.set(key, joinVectors(of(key), vector)),
    of,
    forget: (key) => void received.delete(key),
  }
}
