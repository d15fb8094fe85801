import { readHistory } from '../../client/context/read-history.ts'
import type { Session } from '../../client/session-contract.ts'
import type { Message } from '../../contract/message.ts'

/**
 * The stored messages after cuts and compaction, as PicoClaw's `GetHistory` returns them, read in pages. To call a
 * model, use `session.context()`, which adds the summary and pairs tool calls with their results.
 */
export function history(session: Pick<Session<object>, 'store' | 'key'>): Promise<readonly Message[]> {
  return readHistory(session.store, session.key)
}
