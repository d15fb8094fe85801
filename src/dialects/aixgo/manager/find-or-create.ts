import { runExclusively } from '../../../client/worker/run-exclusively.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { namesOf } from '../../../domain/names-of.ts'
import type { ManagedSession } from './manager-types.ts'
import { sessionPages } from './session-pages.ts'

/**
 * The session of a user and an agent that was written to last, or a new one. Archived sessions don't count.
 *
 * @param database - its name: calls for the same database, agent and user wait for each other
 * @param open - opens a session. It throws SessionNotFound for one that has expired or was deleted in the meantime.
 *   Then the next one is tried
 */
export async function findOrCreate(
  store: SessionStore,
  database: string,
  agentId: string,
  userId: string,
  open: (key: string) => Promise<ManagedSession>,
  create: () => Promise<ManagedSession>,
): Promise<ManagedSession> {
  const findLatest = async (fresh: boolean): Promise<ManagedSession | undefined> => {
    for await (const [session] of sessionPages(store, { agentId, userId, archived: false, limit: 1, fresh })) {
      const found = session && (await open(session.key).catch(unlessMissing))
      if (found !== undefined) return found
    }
    return undefined
  }
  return runExclusively(
    `${namesOf(database)}:user:${JSON.stringify([agentId, userId])}`,
    // The tab that had the lock before may have created one that this tab's list doesn't have yet.
    async () => (await findLatest(false)) ?? (await findLatest(true)) ?? create(),
  )
}

function unlessMissing(error: unknown): undefined {
  if (!isSessionError(error, 'SessionNotFound')) throw error
}
