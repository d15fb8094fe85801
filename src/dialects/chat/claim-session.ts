import { isSessionError } from '../../contract/errors.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { isBlank, noSession } from './find-chat-session.ts'

/**
 * Makes a session an agent's own before anything is written to it: one that isn't there yet, that was deleted and
 * starts afresh, or that did so and got no further. Those are two writes, and where the second is lost, the next
 * message does it.
 *
 * @param found - what is there of it
 * @throws SessionNotFound when another agent was faster
 */
export async function claimSession(
  store: SessionStore,
  agentId: string,
  key: string,
  found: SessionMeta | undefined,
): Promise<void> {
  if (found !== undefined && found.deletedAt === undefined && !isBlank(found)) return
  // Takes back the tombstone, which nothing else than an append could be written behind.
  if (found?.deletedAt !== undefined) await store.ensureSessionMetadata(key)
  // Who claims this version as well has the same operation with other content, and the store lets only one of them
  // through, in whichever tab. Read before the owner is: whoever claimed it by then shows.
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
