import type { DraftChange } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createOwnActivity, type OwnActivity } from './own-activity.ts'
import type { Activity } from './visit-options.ts'

export interface OwnActivitiesOptions {
  readonly store: Pick<SessionStore, 'listDrafts'>
  readonly now: () => number
  readonly onChange: (key: string) => void
  readonly onError: (error: unknown) => void
}

/** What this device does in its sessions, connected or not. */
export interface OwnActivities {
  /** `undefined` where nobody here is in the session. */
  in(key: string): Activity | undefined
  setWatched(key: string, isWatched: boolean): void
  setTyping(key: string, isTyping: boolean): void
  /** A draft of this device began, grew or ended. */
  handleDraft(change: DraftChange): void
  /** The sessions into which a reply is streamed here. */
  streaming(): readonly string[]
  /** Whether a reply is streamed into the session, for the first call that finds this out. */
  takeStreaming(key: string): boolean
  /** The session is gone. */
  forget(key: string): void
  close(): void
}

export function createOwnActivities({ store, now, onChange, onError }: OwnActivitiesOptions): OwnActivities {
  const owns = new Map<string, OwnActivity>()

  const changed = (key: string): void => {
    if (owns.get(key)?.isIdle() === true) owns.delete(key)
    onChange(key)
  }
  const ownOf = (key: string): OwnActivity => {
    const own = owns.get(key) ?? createOwnActivity(key, { store, now, onError, onChange: () => changed(key) })
    owns.set(key, own)
    return own
  }

  return {
    in: (key) => owns.get(key)?.current(),
    setWatched: (key, isWatched) => ownOf(key).setWatched(isWatched),
    setTyping: (key, isTyping) => ownOf(key).setTyping(isTyping),
    handleDraft: (change) => {
      const { key, view, added } = change
      // The end of a draft that was not known.
      if (view === undefined && added === undefined && !owns.has(key)) return
      ownOf(key).handleDraft(change)
    },
    streaming: () => [...owns].flatMap(([key, own]) => (own.isStreaming() ? [key] : [])),
    takeStreaming: (key) => owns.get(key)?.takeStreaming() ?? false,
    forget: (key) => owns.get(key)?.forget(),
    close: () => {
      for (const own of owns.values()) own.close()
      owns.clear()
    },
  }
}
