import type { SessionClient } from '../../../client/client-contract.ts'
import type { ChangeFeed } from '../../../client/session/change-feed.ts'
import { createOpenStreams } from '../../../client/session/open-streams.ts'
import { createSession } from '../../../client/session/session.ts'
import type { Session } from '../../../client/session-contract.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/**
 * Opens handles to sessions: those of the client, or, for a bare store, handles without sub-tasks and copies of
 * branches.
 *
 * @param name - of the database
 */
export function createHandleOpener(
  given: SessionStore | SessionClient,
  name: string,
  feed: ChangeFeed,
): (meta: SessionMeta) => Promise<Session> {
  if ('session' in given) return async ({ key }) => given.session(key)
  const openStreams = createOpenStreams()
  const needsClient = (): never => {
    throw new SessionError(
      'InvalidInput',
      'Sub-tasks and copies of branches need a client: open the store with openSessionStore().',
    )
  }
  return async ({ key, agentId = '', userId = '' }) =>
    createSession({
      store: given,
      name,
      feed,
      key,
      agentName: agentId,
      userId,
      isKnown: true,
      openStreams,
      openEphemeral: needsClient,
      openBranched: needsClient,
    })
}
