import type { ChangeFeed } from '../session/change-feed.ts'
import type { SessionSurroundings } from '../session/session-surroundings.ts'
import type { PageLock } from '../worker/page-lock.ts'
import type { LadderResult, OpeningAttempt } from './ladder.ts'

/** A store that was opened, with its surroundings. */
export interface OpenedClient extends LadderResult {
  readonly attempt: OpeningAttempt
  readonly name: string
  readonly userId: string | undefined
  readonly feed: ChangeFeed
  readonly page: PageLock
  readonly route: SessionSurroundings['route']
  readonly schema: SessionSurroundings['schema']
}
