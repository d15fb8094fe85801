import type { SessionListing, SessionMeta } from '../../contract/meta.ts'
import { agentOf } from './find-chat-session.ts'

/** A session in the form of a list's row; times in milliseconds since 1970. Source: ai-panel, its index */
export function sessionRow(session: SessionListing & Pick<SessionMeta, 'scope'>) {
  const { key, title, titleSource, messageCount, createdAt, updatedAt, tokenEstimate } = session
  return {
    id: key,
    agentId: agentOf(session),
    title,
    titleSource,
    messageCount,
    createdAt,
    lastAt: updatedAt,
    tokenEstimate,
  }
}
