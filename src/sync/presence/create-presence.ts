import type { Awareness } from 'y-protocols/awareness'
import type { DraftChange } from '../../contract/change.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { checkPresenceOptions, type PresenceOptions } from './check-presence-options.ts'
import { type OpenVisit, openVisit } from './open-visit.ts'
import { createOwnActivities } from './own-activities.ts'
import type { PeerState, PresenceCodec } from './presence-state.ts'

export interface CreatePresenceOptions extends PresenceOptions {
  readonly store: Pick<SessionStore, 'listDrafts'>
  /** Identifies this device for the others. Default: drawn at random. */
  readonly device?: string | undefined
  readonly codec?: PresenceCodec | undefined
  readonly now: () => number
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
  /** A reply is streamed into a session that is not connected, so that no other device sees it. */
  readonly onUnseen: () => void
}

/** A session while it is connected. */
export interface Visit {
  readonly awareness: Awareness
  leave(): void
}

/** Who is in which session, here and on other devices. Nothing of it is ever stored. */
export interface Presence {
  /** The session is connected, and its awareness is carried. */
  enter(key: string, id: string): Visit
  /** The user looks at it here, which is published to the others. */
  setWatched(key: string, isWatched: boolean): void
  setTyping(key: string, isTyping: boolean): void
  /** A draft of this device began, grew or ended. */
  handleDraft(change: DraftChange): void
  /** The sessions into which a reply is streamed here. */
  streaming(): readonly string[]
  /** The session is gone. */
  forget(key: string): void
  peers(key: string): readonly PeerState[]
  /** For all sessions that somebody is in. */
  all(): Readonly<Record<string, readonly PeerState[]>>
  close(): void
}

const nobody: readonly PeerState[] = Object.freeze([])
const inTheClear: PresenceCodec = { write: (state) => state as unknown as JsonValue, read: (content) => content }

/** @throws InvalidInput */
export function createPresence(options: CreatePresenceOptions): Presence {
  const { device = drawDevice(), store, codec = inTheClear, now, onChange, onError, onUnseen } = options
  const { user } = checkPresenceOptions(options)
  const visits = new Map<string, OpenVisit>()
  const own = createOwnActivities({
    store,
    now,
    onError,
    onChange: (key) => {
      visits.get(key)?.ask()
      if (!visits.has(key) && own.takeStreaming(key)) onUnseen()
    },
  })

  const enter = (key: string, id: string): Visit => {
    const visit: OpenVisit = openVisit({
      id,
      device,
      user,
      codec,
      now,
      onError,
      activity: () => own.in(key),
      onPeers: () => {
        if (visits.get(key) === visit) onChange()
      },
      onLeave: (hadPeers) => {
        if (visits.get(key) !== visit) return
        visits.delete(key)
        if (hadPeers) onChange()
      },
    })
    visits.set(key, visit)
    visit.ask()
    return visit
  }

  return {
    enter,
    setWatched: own.setWatched,
    setTyping: own.setTyping,
    handleDraft: own.handleDraft,
    streaming: own.streaming,
    forget: own.forget,
    peers: (key) => visits.get(key)?.peers() ?? nobody,
    all: () =>
      Object.fromEntries(
        [...visits].map(([key, { peers }]) => [key, peers()] as const).filter(([, peers]) => peers.length > 0),
      ),
    close: () => {
      for (const { leave } of [...visits.values()]) leave()
      own.close()
    },
  }
}

/** `crypto.randomUUID` is missing on plain HTTP pages. */
const drawDevice = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')
