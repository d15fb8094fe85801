import { SessionError } from '../../../contract/errors.ts'
import type { SessionListing } from '../../../contract/meta.ts'
import type { SessionPage } from '../../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { pushAll } from '../../../domain/push-all.ts'
import type { ListSessionsOptions } from './manager-types.ts'

/** Sessions per request. */
const pageSize = 1000

/**
 * Lists an agent's sessions, newest first, from an offset (as in Aixgo) or a cursor of the store. @throws InvalidInput
 */
export async function listAgentSessions(
  store: SessionStore,
  agentId: string,
  options: ListSessionsOptions,
): Promise<SessionPage> {
  const { userId = '', limit = 0, offset = 0, cursor } = options
  for (const [name, value] of Object.entries({ limit, offset })) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new SessionError('InvalidInput', `${name} must be a whole number from 0 up, got ${String(value)}.`)
  }
  if (cursor !== undefined && offset > 0)
    throw new SessionError(
      'InvalidInput',
      'Pass either an offset or a cursor: a cursor already determines where the page begins.',
    )
  const found: SessionListing[] = []
  const end = offset + (limit === 0 ? Infinity : limit)
  for (let at = 0, next = cursor; ; ) {
    // Pages end exactly at the offset and at the end of the requested part, so that the returned cursor is right.
    const page = await store.listSessions({
      agentId,
      limit: Math.min(pageSize, (at < offset ? offset : end) - at),
      ...(userId === '' ? {} : { userId }),
      ...(next === undefined ? {} : { cursor: next }),
    })
    if (at >= offset) pushAll(found, page.sessions)
    at += page.sessions.length
    next = page.next
    if (next === undefined || at >= end)
      return { sessions: found, total: page.total, ...(next === undefined ? {} : { next }) }
  }
}
