import type { DraftChange } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createGrowingDrafts } from './growing-drafts.ts'
import type { Activity } from './visit-options.ts'

/** How long a user counts as typing after the last report. */
const typingMs = 6000

export interface OwnActivityOptions {
  readonly store: Pick<SessionStore, 'listDrafts'>
  readonly now: () => number
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
}

/** What this device does in one session. */
export interface OwnActivity {
  /** `undefined` where it does nothing that others see. */
  current(): Activity | undefined
  setWatched(isWatched: boolean): void
  setTyping(isTyping: boolean): void
  /** A draft began, grew or ended. */
  handleDraft(change: DraftChange): void
  isStreaming(): boolean
  /** Whether a reply is streamed, for the first call that finds this out. */
  takeStreaming(): boolean
  /** Whether nothing is known of the session any more. */
  isIdle(): boolean
  /** The session is gone. */
  forget(): void
  close(): void
}

/** @param key - of the session */
export function createOwnActivity(key: string, { store, now, onChange, onError }: OwnActivityOptions): OwnActivity {
  const drafts = createGrowingDrafts(now, onChange)
  let isWatched = false
  let typing: ReturnType<typeof setTimeout> | undefined
  /** Changes that arrive while the list of drafts is read. */
  let pending: DraftChange[] | undefined
  let isStreamingTaken = false

  const setTyping = (isTyping: boolean): void => {
    clearTimeout(typing)
    typing = isTyping ? setTimeout(() => setTyping(false), typingMs) : undefined
    onChange()
  }
  const readDrafts = async (changes: DraftChange[]): Promise<void> => {
    pending = changes
    try {
      drafts.reset(await store.listDrafts(key))
      for (const one of changes) drafts.handle(one)
    } catch (error) {
      onError(error)
    }
    pending = undefined
    onChange()
  }
  const isStreaming = (): boolean => drafts.first() !== undefined

  return {
    current: () => {
      const isTyping = typing !== undefined
      return isWatched || isTyping || isStreaming() ? { isTyping, draft: drafts.first() } : undefined
    },
    setWatched: (is) => {
      isWatched = is
      onChange()
    },
    setTyping,
    handleDraft: (change) => {
      if (pending !== undefined) pending.push(change)
      else if (drafts.handle(change)) void readDrafts([change])
      else onChange()
    },
    isStreaming,
    takeStreaming: () => {
      if (isStreamingTaken || !isStreaming()) return false
      return (isStreamingTaken = true)
    },
    isIdle: () => !isWatched && typing === undefined && drafts.isEmpty() && pending === undefined,
    forget: () => {
      drafts.reset([])
      setTyping(false)
    },
    close: () => {
      clearTimeout(typing)
      drafts.close()
    },
  }
}
