import type { VersionVector } from '../contract/entry.ts'
import { joinVectors } from '../domain/version-vector.ts'

/**
 * How far the writers are whose entries came from a server in this run, by session and by the life whose document they
 * are in. A peer that sent something may be gone for good, and then nobody else has it.
 */
export interface ReceivedEntries {
  add(key: string, life: number, vector: VersionVector): void
  of(key: string, life: number): VersionVector
  /** The session was erased here. */
  forget(key: string): void
}

export function createReceivedEntries(): ReceivedEntries {
  const received = new Map<string, Map<number, VersionVector>>()
  const of = (key: string, life: number): VersionVector => received.get(key)?.get(life) ?? {}
  return {
    add: (key, life, vector) => {
      const lives = received.get(key) ?? new Map<number, VersionVector>()
      received.set(key, lives.set(life, joinVectors(of(key, life), vector)))
    },
    of,
    forget: (key) => void received.delete(key),
  }
}
