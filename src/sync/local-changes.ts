import type { DraftChange, StoreChange } from '../contract/change.ts'
import type { KeyScope } from './key-scope.ts'
import type { Presence } from './presence/create-presence.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import { createPurgeLoader } from './purge-loader.ts'
import { type RetryOptions, retryWait } from './retry-wait.ts'
import type { SessionWindow } from './session-window.ts'

export interface LocalChangesOptions {
  /** How long changes are gathered before they are processed. */
  readonly gatherMs: number
  readonly retry: RetryOptions
  readonly our: () => KeyScope
  readonly window: Pick<SessionWindow, 'publish' | 'drop'>
  readonly purges: Pick<PurgeAnnouncements, 'add' | 'load'>
  readonly presence: Presence | undefined
  /** The changes are known now. */
  readonly onChangesKnown: () => void
  /** The purges are known now. */
  readonly onPurgesKnown: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}

/** Processes what changes in the store: connected sessions get it at once, the list a moment later. */
export interface LocalChanges {
  handle(change: StoreChange): void
  /** Whether changes are waiting to be processed. */
  isWaiting(): boolean
  /** Whether the store failed to report what changed last time. It is asked again. */
  isFailing(): boolean
  /**
   * Loads what is here and what was purged, and processes changes from then on. Settles with the first load, whatever
   * its result.
   */
  start(): Promise<void>
  /** Processes waiting changes now. */
  hurry(): void
  close(): void
}

export function createLocalChanges({
  gatherMs,
  retry,
  our,
  window,
  purges,
  presence,
  onChangesKnown,
  onPurgesKnown,
  onError,
  onChange,
}: LocalChangesOptions): LocalChanges {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let processing = 0
  const purgeLoader = createPurgeLoader(purges)
  let isClosed = false

  const process = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    processing += 1
    try {
      await Promise.all([our().locals.refresh(), purgeLoader.loadUnknown()])
      failures = 0
    } catch (error) {
      onError(error)
      processAgain()
      return
    } finally {
      processing -= 1
    }
    onChangesKnown()
  }

  /** The changes still have to be processed, even if nothing else changes. */
  const processAgain = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void process(), retryWait(failures++, retry))
  }

  const handleDraft = (change: DraftChange): void => {
    if (presence === undefined) return
    if (change.view !== undefined || change.added !== undefined) return presence.handleDraft(change)
    // The entry should be on its way before its draft disappears.
    window
      .publish(change.key)
      .catch(onError)
      .finally(() => presence.handleDraft(change))
  }

  return {
    handle: (change) => {
      if (isClosed) return
      if (change.type === 'draft') handleDraft(change)
      if (change.type !== 'session') return
      const gone = our().locals.noteChange(change)
      if (change.listing === undefined) {
        presence?.forget(change.key)
        window.drop(change.key)
        // At once, because it would be fetched again before the store has answered.
        if (gone !== undefined) purges.add({ key: change.key, vector: gone.vector, life: gone.listing.life ?? 0 })
        purgeLoader.reload()?.then(onPurgesKnown, (error: unknown) => {
          onError(error)
          processAgain()
        })
      } else {
        window.publish(change.key).catch(onError)
        timer ??= setTimeout(() => void process(), gatherMs)
      }
      onChange()
    },
    isWaiting: () => timer !== undefined || processing > 0,
    isFailing: () => failures > 0,
    start: process,
    hurry: () => {
      if (timer !== undefined) void process()
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
