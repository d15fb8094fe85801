import type { IndexValue } from './index-entry.ts'

/** Whether nothing is left of a session anywhere: it was purged and not restarted. */
export function isGone({ purged, hash }: Pick<IndexValue, 'purged' | 'hash'>): boolean {
  return purged !== undefined && hash === ''
}
