import type { EntryRef } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { CopyOptions } from '../branches/branch-types.ts'
import type { RunTask } from '../files/run-task.ts'
import type { Session, SessionIdentity } from '../session-contract.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { OpenStreams } from './open-streams.ts'

/** What a handle is made of. */
export interface SessionParts {
  readonly store: SessionStore
  /** Name of the database; absent where the store is this handle's own. */
  readonly name?: string
  readonly feed: ChangeFeed
  readonly key: string
  readonly agentName: string
  readonly userId: string
  /** Whether the session exists: then appending to it never restarts a deleted one. */
  readonly isKnown: boolean
  readonly identity?: SessionIdentity
  /** The open streams of all handles. */
  readonly openStreams: OpenStreams
  /** Whether the client of the handle was closed. */
  readonly isClientClosed?: (() => boolean) | undefined
  openEphemeral(): Session
  /** Copies the path to an entry of this session into another one, and opens that. */
  openBranched(leaf: EntryRef, options?: CopyOptions): Promise<Session>
  /** Does work on the whole log elsewhere. Absent: it is done here. */
  readonly runTask?: RunTask
  /** Checks a message before it is written. @throws InvalidInput */
  readonly check?: ((message: Message) => Promise<void>) | undefined
  /** Called when a write has restarted a deleted session. */
  onRestart?(): Promise<unknown>
  /** Called when the handle is closed. */
  onClose?(): Promise<void>
}
