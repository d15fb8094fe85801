import type { ChangeSink } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ClientSearch } from '../create-search.ts'
import type { RunTask } from '../files/run-task.ts'
import type { OpenedClient } from './opened-client.ts'

/** What a client creates on demand. */
export interface ClientParts {
  /** Makes a store for one sub-turn. */
  createEphemeralStore(onChange: ChangeSink): Promise<SessionStore>
  readonly runTask: RunTask
  openSearch(opened: OpenedClient): Promise<ClientSearch>
}
