import type { HotRow } from '../contract/rows.ts'
import type { IndexedSession } from './index-blocks.ts'

/** What an index knows of a session. */
export interface SessionState extends IndexedSession {
  readonly agentId?: string
  readonly userId?: string
  /** Behind a tombstone: what is indexed of it stays, and is not found. */
  readonly isHidden: boolean
  /** Key of the session that has taken over what is in this one; while there is that one, it is found there only. */
  readonly promotedTo?: string
}

/** How far a session is indexed, with what its row says of it now. */
export function sessionState(indexed: IndexedSession, hot: HotRow): SessionState {
  const { agentId, userId, deletedAt, promotedTo } = hot
  const { key, number, version, entries, lastControl } = indexed
  return {
    key, number, version, entries, lastControl,
    ...(typeof agentId === 'string' ? { agentId } : {}),
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(promotedTo === undefined ? {} : { promotedTo }),
    isHidden: deletedAt !== undefined,
  }
}
