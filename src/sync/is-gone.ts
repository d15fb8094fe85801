import type { IndexValue } from './index-entry.ts'

/** Whether nothing is left of a session anywhere: it was purged, and nobody has restarted it. */
export function isGone({ purged, hash }: Pick<IndexValue, 'purged' | 'hash'>): boolean {
  return purged !== undefined && hash === ''
}
