import type { SessionStore } from '../../contract/store/session-store.ts'

/**
 * All texts that a session is opened by: its key, and its aliases. Of the aliases in its list, others may belong to other
 * sessions (L19).
 */
export async function ownNames(
  store: Pick<SessionStore, 'getMeta' | 'resolveSessionKey'>,
  key: string,
): Promise<readonly string[]> {
  const { aliases = [] } = (await store.getMeta(key)) ?? {}
  const owners = await Promise.all(aliases.map(store.resolveSessionKey))
  return [key, ...aliases.filter((_, index) => owners[index] === key)]
}
