import { SessionError } from '../../contract/errors.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { agentIdOf } from '../../domain/identity/key-kind.ts'

/** The agent of sessions without one. Source: PicoClaw */
export const defaultAgent = 'main'

/**
 * The agent that a session belongs to: from its metadata, otherwise from its scope or key (in PicoClaw's form),
 * otherwise the default agent.
 */
export const agentOf = ({ key, agentId, scope }: Pick<SessionMeta, 'key' | 'agentId' | 'scope'>): string =>
  agentId ?? agentIdOf(key, scope) ?? defaultAgent

/**
 * Finds a session of an agent, by key or alias.
 *
 * @returns `undefined` when there is none; the agent may create one with this id, or claim one that {@link isBlank}
 * @throws SessionNotFound when it belongs to another agent, as if it did not exist, or when its id can only be another
 * agent's
 */
export async function findSession(
  store: SessionStore,
  agentId: string,
  sessionId: string,
): Promise<SessionMeta | undefined> {
  const meta = await store.getMeta(sessionId)
  const owner = meta === undefined || isBlank(meta) ? (agentIdOf(sessionId, meta?.scope) ?? agentId) : agentOf(meta)
  if (owner !== agentId) throw noSession(sessionId)
  return meta
}

/** @throws SessionNotFound when the agent has no such session, or it was deleted */
export async function requireSession(store: SessionStore, agentId: string, sessionId: string): Promise<SessionMeta> {
  const meta = await findSession(store, agentId, sessionId)
  if (meta === undefined || meta.deletedAt !== undefined || agentOf(meta) !== agentId) throw noSession(sessionId)
  return meta
}

/** Whether a session has no content and no agent, like a deleted session for a moment when it starts again. */
export function isBlank({
  agentId,
  deletedAt,
  messageCount,
  title,
  summary,
  memo,
  custom,
  contextState,
}: SessionMeta): boolean {
  return (
    agentId === undefined &&
    deletedAt === undefined &&
    messageCount === 0 &&
    title === '' &&
    summary === '' &&
    [memo, custom, contextState].every((fields) => Object.keys(fields).length === 0)
  )
}

export function noSession(sessionId: string): SessionError {
  return new SessionError('SessionNotFound', `This agent has no session "${sessionId}".`)
}
