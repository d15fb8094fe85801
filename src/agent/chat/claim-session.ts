import { isSessionError } from '../../contract/errors.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store.ts'
import { noSession } from './find-session.ts'

/**
 * Makes a session an agent's own before anything is written to it: one that isn't there yet, or was deleted and starts afresh.
 *
 * @param found - what is there of it
 * @throws SessionNotFound when another agent was faster
 */
export async function claimSession(store: SessionStore, agentId: string, key: string, found: SessionMeta | undefined): Promise<void> {
  if (found !== undefined && found.deletedAt === undefined) return
  // Who claims it as well has the same operation with other content, and the store lets only one of them through, in whichever tab.
  const operationId = `chat-owner:${found?.deletedAt ?? 0}`
  try {
    // Takes back the tombstone, which nothing else than an append could be written behind.
    if (found !== undefined) await store.ensureSessionMetadata(key)
    await store.updateMeta(key, { agentId }, { operationId, durability: 'relaxed' })
  } catch (error) {
    throw isSessionError(error, 'OperationConflict') ? noSession(key) : error
  }
}
