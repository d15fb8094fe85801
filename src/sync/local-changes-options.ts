import type { KeyScope } from './key-scope.ts'
import type { Presence } from './presence/create-presence.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import type { RetryOptions } from './retry-wait.ts'
import type { SessionWindow } from './session-window.ts'

export interface LocalChangesOptions {
  /** How long changes are gathered before they are processed. */
  readonly gatherMs: number
  readonly retry: RetryOptions
  readonly our: () => KeyScope
  readonly window: Pick<SessionWindow, 'publish' | 'drop'>
  readonly purges: Pick<PurgeAnnouncements, 'expect' | 'load'>
  readonly presence: Presence | undefined
  /** The changes are known now. */
  readonly onChangesKnown: () => void
  /** The purges are known now. */
  readonly onPurgesKnown: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}
