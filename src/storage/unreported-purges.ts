import type { VersionVector } from '../contract/entry.ts'
import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import type { SessionErasure } from '../contract/write-batch.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'

/** A purge that was not reported yet: what was known of the session, and its life unless that was the first. */
export type PurgeRow = VersionVector | readonly [life: number, known: VersionVector]

/** Purges that were not reported yet, by key. */
export type UnreportedPurges = ReadonlyMap<string, PurgeRow>

/** Adds the sessions that are being erased (law B8). */
export function withErasures(purges: UnreportedPurges, erased: readonly SessionErasure[]): UnreportedPurges {
  const all = new Map(purges)
  for (const { key, vector, life } of erased)
    if (vector !== undefined) all.set(key, joinPurges(all.get(key), vector, life))
  return all
}

/**
 * Joins two purges under one key. The later life covers what was known of the earlier one, or those entries were never
 * there.
 */
export function joinPurges(row: PurgeRow | undefined, vector: VersionVector, life = 0): PurgeRow {
  const [lifeBefore, before] = parts(row ?? {})
  const joined = joinVectors(before, vector)
  const latest = Math.max(lifeBefore, life)
  return latest === 0 ? joined : [latest, joined]
}

/** Removes the purges that these reports cover. */
export function withoutReported(purges: UnreportedPurges, reported: readonly PurgeRecord[]): UnreportedPurges {
  const left = new Map(purges)
  for (const record of reported) if (isReported(left.get(record.key), record)) left.delete(record.key)
  return left
}

/** Whether a report covers everything that is kept of a purge. */
export function isReported(
  row: PurgeRow | undefined,
  { vector, life: reportedLife = 0 }: Omit<PurgeRecord, 'key'>,
): boolean {
  const [life, known] = parts(row ?? {})
  return life <= reportedLife && includesVector(vector, known)
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
