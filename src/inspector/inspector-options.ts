import type { BranchPreview } from '../client/branches/branch-types.ts'
import type { SessionClient } from '../client/client-contract.ts'
import type { Session } from '../client/session-contract.ts'
import type { InspectedSync } from './inspected-sync.ts'

/** What the inspector needs of a client: every `SessionClient` has it, whatever its messages are. */
export interface InspectedClient
  extends Pick<SessionClient, 'name' | 'store' | 'upkeep' | 'files' | 'listSessions' | 'subscribe'> {
  session(
    target: string,
  ): Promise<
    Pick<Session, 'context' | 'close'> & { readonly branches: { previews(): Promise<readonly BranchPreview[]> } }
  >
}

/** Something an app lets its developer do from the inspector, which no client can do by itself. */
export interface InspectorAction {
  /** The text of its button, such as `Kill the worker`. */
  readonly label: string
  /** What happens then, in a sentence. */
  readonly description?: string
  /** Does it; what it returns or throws is shown as text. */
  run(): unknown
}

/** What an inspector shows and may do. */
export interface InspectorOptions {
  /** Sync of this device, for the view of it. Default: none. */
  readonly sync?: InspectedSync | undefined
  /**
   * Offers the buttons that change something: repair, reclaim, going offline, filling the quota, and `actions`. Default
   * false: the inspector then only reads.
   */
  readonly mayWrite?: boolean | undefined
  /** Buttons of the app, shown with `mayWrite`. Default: none. */
  readonly actions?: readonly InspectorAction[] | undefined
}
