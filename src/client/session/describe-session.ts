import type { MessageIdentity } from '../../contract/message-identity.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { EnsureMetadataResult } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

/**
 * Writes the scope, the aliases and the agent of a session; what is stored already stays. A session that was reached by
 * another key than that of the scope keeps its scope, because messages of several scopes share it.
 *
 * @param meta - the stored metadata
 * @param found - how a message found the session; absent for a session without a scope
 */
export async function describeSession(
  store: SessionStore,
  key: string,
  { agentId, userId }: { readonly agentId: string; readonly userId?: string | undefined },
  meta: SessionMeta | undefined,
  found: MessageIdentity | undefined,
): Promise<Omit<EnsureMetadataResult, 'key'>> {
  // Written first, because a session receives the history of its aliases only when its metadata is created.
  const { key: _, ...described } =
    found === undefined
      ? { key, conflicts: [] }
      : await store.ensureSessionMetadata(
          key,
          found.scopeKey === key || meta?.scope === undefined ? found.scope : undefined,
          found.aliases,
        )
  const news = {
    ...(meta?.agentId === undefined ? { agentId } : {}),
    ...(meta?.userId === undefined && userId !== undefined ? { userId } : {}),
  }
  if (Object.keys(news).length > 0) await store.updateMeta(key, news, { durability: 'relaxed' })
  return described
}
