import type { ChangeSink } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { createSessionRouter } from '../../domain/identity/create-session-router.ts'
import type { RunTask } from '../files/run-task.ts'
import type { PageLock } from '../worker/page-lock.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { MessageSchema } from './check-by-schema.ts'
import type { OpenStreams } from './open-streams.ts'

/** What the handles of a client share. */
export interface SessionSurroundings {
  readonly store: SessionStore
  /** Name of the database. */
  readonly name: string
  /** The user of this database, if each user has one. */
  readonly userId?: string | undefined
  readonly feed: ChangeFeed
  /** Shows others that the replies streamed here are not abandoned. */
  readonly page: PageLock
  /** The open streams of all handles. */
  readonly openStreams: OpenStreams
  /** Whether the client was closed. */
  readonly isClientClosed?: () => boolean
  /** Messages must match it before they are written. */
  readonly schema?: MessageSchema<object> | undefined
  /** Finds the session of a message. Absent: without any configuration. */
  readonly route: ReturnType<typeof createSessionRouter> | undefined
  /** Does work on the whole log of a session of {@link store}. */
  readonly runTask: RunTask
  /** Creates a store for one sub-turn. */
  createEphemeralStore(onChange: ChangeSink): Promise<SessionStore>
}
