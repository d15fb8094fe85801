import type { SessionErasure } from '../contract/backend.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { PurgeRecord } from '../contract/store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'

/** What is kept of a purge that nobody was told of: how much was known, and of which life where that was not the first. */
export type PurgeRow = VersionVector | readonly [life: number, known: VersionVector]

/** Purges that nobody was told of, by key. */
export type UntoldPurges = ReadonlyMap<string, PurgeRow>

/** Law B8: with what is erased now. */
export function withErasures(purges: UntoldPurges, erased: readonly SessionErasure[]): UntoldPurges {
  const all = new Map(purges)
  for (const { key, vector, life } of erased) if (vector !== undefined) all.set(key, joinPurges(all.get(key), vector, life))
  return all
}

/** What is kept of two purges under one key. What was known of an earlier life is of the later one, or was never there. */
export function joinPurges(row: PurgeRow | undefined, vector: VersionVector, life = 0): PurgeRow {
  const [lifeBefore, before] = parts(row ?? {})
  const joined = joinVectors(before, vector)
  const latest = Math.max(lifeBefore, life)
  return latest === 0 ? joined : [latest, joined]
}

/** What is left of them once these were told. */
export function withoutTold(purges: UntoldPurges, told: readonly PurgeRecord[]): UntoldPurges {
  const left = new Map(purges)
  for (const record of told) if (isTold(left.get(record.key), record)) left.delete(record.key)
  return left
}

/** Whether all that is kept of a purge was told. */
export function isTold(row: PurgeRow | undefined, { vector, life: told = 0 }: Omit<PurgeRecord, 'key'>): boolean {
  const [life, known] = parts(row ?? {})
  return life <= told && includesVector(vector, known)
}

export function purgeRecords(purges: Iterable<readonly [key: string, row: PurgeRow]>): readonly PurgeRecord[] {
  return [...purges].map(([key, row]) => {
    const [life, vector] = parts(row)
    return { key, vector, ...(life === 0 ? {} : { life }) }
  })
}

function parts(row: PurgeRow): readonly [life: number, known: VersionVector] {
  return isPair(row) ? row : [0, row]
}

const isPair = (row: PurgeRow): row is readonly [number, VersionVector] => Array.isArray(row)
