import type { SessionErasure } from '../contract/backend.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { PurgeRecord } from '../contract/store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'

/** Purges that nobody was told of, by key. */
export type UntoldPurges = ReadonlyMap<string, VersionVector>

/** Law B8: with what is erased now. */
export function withErasures(purges: UntoldPurges, erased: readonly SessionErasure[]): UntoldPurges {
  const all = new Map(purges)
  for (const { key, vector } of erased) if (vector !== undefined) all.set(key, joinVectors(all.get(key) ?? {}, vector))
  return all
}

/** What is left of them once these were told. */
export function withoutTold(purges: UntoldPurges, told: readonly PurgeRecord[]): UntoldPurges {
  const left = new Map(purges)
  for (const { key, vector } of told) if (includesVector(vector, left.get(key) ?? {})) left.delete(key)
  return left
}

export function purgeRecords(purges: UntoldPurges): readonly PurgeRecord[] {
  return [...purges].map(([key, vector]) => ({ key, vector }))
}
