import { SessionError } from '../../../contract/errors.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/** @throws SessionNotFound, even if the session exists but was deleted */
export async function findUndeleted(store: SessionStore, id: string): Promise<SessionMeta> {
  const meta = await store.getMeta(id)
  if (meta === undefined || meta.deletedAt !== undefined)
    throw new SessionError(
      'SessionNotFound',
      `There is no session "${id}"${meta === undefined ? '' : ' any more: it was deleted, and undelete() restores it'}.`,
    )
  return meta
}
