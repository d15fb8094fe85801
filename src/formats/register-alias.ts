import { isSessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/** Makes a session's own list of aliases count, unless another session owns this one. */
export async function registerAlias(
  store: Pick<SessionStore, 'resolveSessionKey' | 'getMeta' | 'updateMeta'>,
  key: string,
  alias: string,
): Promise<void> {
  if ((await store.resolveSessionKey(alias)) !== alias) return
  const aliases = (await store.getMeta(key))?.aliases ?? []
  if (!aliases.includes(alias)) return
  await store.updateMeta(key, { aliases }).catch((error: unknown) => {
    if (!isSessionError(error, 'AliasConflict')) throw error
  })
}
