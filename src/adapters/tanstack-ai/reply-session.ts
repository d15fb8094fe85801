import type { Session } from '../../client/session-contract.ts'
import { SessionError } from '../../contract/errors.ts'

/** Which session a reply was begun in: others may get its key while the reply grows. */
export interface ReplySession {
  readonly number: number
  readonly createdAt: number | undefined
}

export async function sessionOf(session: Session<object>): Promise<ReplySession> {
  const [page, meta] = await Promise.all([session.page({ last: 1 }), session.meta()])
  return { number: page.session, createdAt: meta?.createdAt }
}

/**
 * The number of the session that a reply was begun in. A database that was lost and filled again gives it another one,
 * and a session that was restarted keeps its number: the time when it was begun tells these apart.
 *
 * @throws SessionNotFound when the session was deleted, and maybe another one begun under its key
 */
export async function numberNow(session: Session<object>, begun: ReplySession): Promise<number> {
  const { number, createdAt = Number.POSITIVE_INFINITY } = await sessionOf(session)
  // What arrives from another device may be older than all that was there.
  if (createdAt === begun.createdAt || (number === begun.number && createdAt < (begun.createdAt ?? 0))) return number
  throw new SessionError(
    'SessionNotFound',
    `Session "${session.key}" was deleted while a reply arrived. The reply was not stored.`,
  )
}
