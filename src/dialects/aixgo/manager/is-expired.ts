import type { SessionMeta } from '../../../contract/meta.ts'

/**
 * Whether nobody wrote to a session for as long as it may live.
 *
 * @param storeTtl - milliseconds, for sessions that have no time of their own; 0: for ever
 */
export function isExpired(meta: Pick<SessionMeta, 'updatedAt' | 'ttl'>, storeTtl: number, now: number): boolean {
  const ttl = meta.ttl ?? storeTtl
  return ttl > 0 && meta.updatedAt + ttl <= now
}
