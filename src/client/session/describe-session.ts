import type { MessageIdentity } from '../../contract/message-identity.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { EnsureMetadataResult } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

/**
 * Writes what a session is known by: scope, aliases and agent; what is there already stays. A session that was reached
 * by another key than that of the scope keeps the scope it has: it is shared by messages of several.
 *
 * @param meta - what is there
 * @param found - how a message got to it; absent for a session that has no scope
 */
export async function describeSession(
  store: SessionStore,
  key: string,
  { agentId, userId }: { readonly agentId: string; readonly userId?: string | undefined },
  meta: SessionMeta | undefined,
  found: MessageIdentity | undefined,
): Promise<Omit<EnsureMetadataResult, 'key'>> {
  // First: whether a session takes over the history of its aliases is decided when its metadata is made.
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
