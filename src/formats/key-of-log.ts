import type { SessionStore } from '../contract/store/session-store.ts'

/** What a log says about whose it is. */
export interface LogIdentity {
  /** Name of the session by its id in the source, or by its content when nothing tells that. */
  readonly source: string
  /** Id of the session in the source. */
  readonly id: string
  /** Name by its content, and what such a session has as its id. */
  readonly content: { readonly source: string; readonly id: string }
}

/**
 * The session that a log belongs to. One that came in alone is known by its content; once its id is known too, it stays
 * the same session. (Only that one: two sessions may have a beginning in common.)
 */
export async function keyOfLog(
  store: Pick<SessionStore, 'resolveSessionKey' | 'getMeta'>,
  { source, id, content }: LogIdentity,
): Promise<string> {
  const key = await store.resolveSessionKey(source)
  if ((await store.getMeta(key)) !== undefined) return key
  const alone = await store.getMeta(content.source)
  return alone?.key === content.source && [id, content.id].includes(alone.id) ? alone.key : key
}
