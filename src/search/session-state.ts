import type { HotRow } from '../contract/rows.ts'
import type { IndexedSession } from './index-blocks.ts'

/** The state of a session in an index. */
export interface SessionState extends IndexedSession {
  readonly agentId?: string
  readonly userId?: string
  /** The session is deleted: its messages stay in the index, but are not found. */
  readonly isHidden: boolean
  /** Key of the session that its history moved to. While that session exists, messages are found only there. */
  readonly promotedTo?: string
}

/** How far a session is indexed, with the current fields of its row. */
export function sessionState(indexed: IndexedSession, hot: HotRow): SessionState {
  const { agentId, userId, deletedAt, promotedTo } = hot
  const { key, number, version, entries, lastControl } = indexed
  return {
    key,
    number,
    version,
    entries,
    lastControl,
    ...(typeof agentId === 'string' ? { agentId } : {}),
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(promotedTo === undefined ? {} : { promotedTo }),
    isHidden: deletedAt !== undefined,
  }
}
