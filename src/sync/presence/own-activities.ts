import type { DraftChange } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createGrowingDrafts, type GrowingDrafts } from './growing-drafts.ts'
import type { Activity } from './open-visit.ts'

/** How long a user counts as typing after the last report. */
const typingMs = 6000

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

interface Own {
  isWatched: boolean
  typing: ReturnType<typeof setTimeout> | undefined
  readonly drafts: GrowingDrafts
  /** Changes that arrive while the list of drafts is read. */
  pending: DraftChange[] | undefined
  isStreamingTaken: boolean
}

export function createOwnActivities({ store, now, onChange, onError }: OwnActivitiesOptions): OwnActivities {
  const owns = new Map<string, Own>()

  const ownOf = (key: string): Own => {
    const drafts = (): GrowingDrafts => createGrowingDrafts(now, () => changed(key))
    const own = owns.get(key) ?? {
      isWatched: false,
      typing: undefined,
      drafts: drafts(),
      pending: undefined,
      isStreamingTaken: false,
    }
    owns.set(key, own)
    return own
  }
  const changed = (key: string): void => {
    const own = owns.get(key)
    if (own !== undefined && isIdle(own)) owns.delete(key)
    onChange(key)
  }
  const stopTyping = (key: string, own: Own): void => {
    clearTimeout(own.typing)
    own.typing = undefined
    changed(key)
  }
  const readDrafts = async (key: string, own: Own, change: DraftChange): Promise<void> => {
    own.pending = [change]
    try {
      own.drafts.reset(await store.listDrafts(key))
      for (const one of own.pending) own.drafts.handle(one)
    } catch (error) {
      onError(error)
    }
    own.pending = undefined
    changed(key)
  }

  return {
    in: (key) => {
      const own = owns.get(key)
      const draft = own?.drafts.first()
      if (own === undefined || (!own.isWatched && own.typing === undefined && draft === undefined)) return undefined
      return { isTyping: own.typing !== undefined, draft }
    },
    setWatched: (key, isWatched) => {
      ownOf(key).isWatched = isWatched
      changed(key)
    },
    setTyping: (key, isTyping) => {
      const own = ownOf(key)
      clearTimeout(own.typing)
      own.typing = isTyping ? setTimeout(() => stopTyping(key, own), typingMs) : undefined
      changed(key)
    },
    handleDraft: (change) => {
      const { key, view, added } = change
      if (view === undefined && added === undefined && !owns.has(key)) return
      const own = ownOf(key)
      if (own.pending !== undefined) own.pending.push(change)
      else if (own.drafts.handle(change)) void readDrafts(key, own, change)
      else changed(key)
    },
    streaming: () => [...owns].flatMap(([key, { drafts }]) => (drafts.first() === undefined ? [] : [key])),
    takeStreaming: (key) => {
      const own = owns.get(key)
      if (own === undefined || own.isStreamingTaken || own.drafts.first() === undefined) return false
      return (own.isStreamingTaken = true)
    },
    forget: (key) => {
      const own = owns.get(key)
      if (own === undefined) return
      own.drafts.reset([])
      stopTyping(key, own)
    },
    close: () => {
      for (const { typing, drafts } of owns.values()) {
        clearTimeout(typing)
        drafts.close()
      }
      owns.clear()
    },
  }
}

const isIdle = ({ isWatched, typing, drafts, pending }: Own): boolean =>
  !isWatched && typing === undefined && drafts.isEmpty() && pending === undefined
