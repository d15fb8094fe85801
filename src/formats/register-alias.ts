import { isSessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/** Registers the aliases that a session lists, unless this alias already leads to another session. */
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
