import { SessionError } from '../../../contract/errors.ts'
import type { ManagedSession } from '../manager/manager-types.ts'
import { sessionFromContext } from './session-from-context.ts'

/**
 * The session that a context carries. @throws SessionNotInContext when it carries none. Source: Aixgo,
 * `MustSessionFromContext`
 */
export function mustSessionFromContext(context: object): ManagedSession {
  const session = sessionFromContext(context)
  if (session === undefined)
    throw new SessionError(
      'SessionNotInContext',
      'This context carries no session. Run the agent with runWithSession(), or pass contextWithSession(context, session).',
    )
  return session
}
