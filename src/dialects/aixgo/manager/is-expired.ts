import type { SessionMeta } from '../../../contract/meta.ts'

/**
 * Whether the last write to a session is as long ago as the session may live.
 *
 * @param storeTtl - milliseconds, for sessions without a `ttl` of their own; 0: never expires
 */
export function isExpired(meta: Pick<SessionMeta, 'updatedAt' | 'ttl'>, storeTtl: number, now: number): boolean {
  const ttl = meta.ttl ?? storeTtl
  return ttl > 0 && meta.updatedAt + ttl <= now
}
