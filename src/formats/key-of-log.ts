import type { SessionStore } from '../contract/store/session-store.ts'

/** The identification of a log's session. */
export interface LogIdentity {
  /** Name of the session by its id in the source, or by its content if that id is unknown. */
  readonly source: string
  /** Id of the session in the source. */
  readonly id: string
  /** Name by the content, and the id of a session with such a name. */
  readonly content: { readonly source: string; readonly id: string }
}

/**
 * Finds the session that a log belongs to. A log that was imported without its id is identified by its content. When a
 * later import knows the id, it stays the same session. (Only if the ids match, because two sessions may have the same
 * beginning.)
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
