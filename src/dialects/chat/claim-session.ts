import { isSessionError } from '../../contract/errors.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { isBlank, noSession } from './find-chat-session.ts'

/**
 * Assigns a session to an agent before anything is written to it: a new session, a deleted one that starts again, or
 * one for which an earlier claim was interrupted. Restarting and claiming are two writes, and if the second is lost,
 * the next message repeats it.
 *
 * @param found - the metadata of the session, if it exists
 * @throws SessionNotFound when another agent has claimed it first
 */
export async function claimSession(
  store: SessionStore,
  agentId: string,
  key: string,
  found: SessionMeta | undefined,
): Promise<void> {
  if (found !== undefined && found.deletedAt === undefined && !isBlank(found)) return
  // Removes the deletion: only an append may be written to a deleted session.
  if (found?.deletedAt !== undefined) await store.ensureSessionMetadata(key)
  // Concurrent claims of this version, in any tab, have the same operation id with different content, so that the store
  // accepts only one of them. The version is read before the owner, so that an earlier claim is visible.
  const { version } = await store.read(key, { last: 1 })
  const now = await store.getMeta(key)
  if (now?.agentId === agentId) return
  if (now?.agentId !== undefined) throw noSession(key)
  try {
    await store.updateMeta(key, { agentId }, { operationId: `chat-owner:${version}`, durability: 'relaxed' })
  } catch (error) {
    throw isSessionError(error, 'OperationConflict') ? noSession(key) : error
  }
}
