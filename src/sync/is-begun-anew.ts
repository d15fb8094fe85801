import type { VersionVector } from '../contract/entry.ts'

/** Whether a session has nothing of what was purged: it was begun anew under the same key. */
export function isBegunAnew(vector: VersionVector, purged: VersionVector): boolean {
  return Object.keys(vector).every((writer) => (purged[writer] ?? 0) === 0)
}
