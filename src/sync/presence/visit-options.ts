import type { GrowingDraft } from './growing-drafts.ts'
import type { PresenceCodec, PresenceState } from './presence-state.ts'

export interface VisitOptions {
  /** The part of the document's name that stands for the session. */
  readonly id: string
  readonly device: string
  readonly user: PresenceState['user']
  readonly codec: PresenceCodec
  readonly now: () => number
  /** `undefined` where nobody here is in the session. */
  readonly activity: () => Activity | undefined
  /** Somebody came, left or did something. */
  readonly onPeers: () => void
  readonly onLeave: (hadPeers: boolean) => void
  readonly onError: (error: unknown) => void
}

/** What this device does in a session. */
export interface Activity {
  readonly isTyping: boolean
  readonly draft: GrowingDraft | undefined
}
