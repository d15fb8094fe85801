import type { DraftChange, StoreChange } from '../contract/change.ts'
import type { Presence } from './presence/create-presence.ts'
import { type RetryOptions, retryWait } from './retry-wait.ts'
import type { SessionWindow } from './session-window.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './purge-reports.ts'

export interface LocalChangesOptions {
  /** How long changes are gathered before they are looked at. */
  readonly gatherMs: number
  readonly retry: RetryOptions
  readonly our: () => UnderKey
  readonly window: Pick<SessionWindow, 'publish' | 'drop'>
  readonly purges: Pick<UntoldPurges, 'add' | 'load'>
  readonly presence: Presence | undefined
  /** It is known now what changed. */
  readonly onLooked: () => void
  /** It is known now what was purged. */
  readonly onPurged: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}

/** Hears what changes in the store: what is connected gets it at once, the list a moment later. */
export interface LocalChanges {
  hear(change: StoreChange): void
  /** Whether something was heard that is to be looked at. */
  isWaiting(): boolean
  /** Whether the store could not say what changed, when it was asked last. It is asked again. */
  isFailing(): boolean
  /** Looks what is here and what was purged, and from then on at what changes. Settles with the first look, whatever came of it. */
  start(): Promise<void>
  /** Looks at it now. */
  hurry(): void
  close(): void
}

export function createLocalChanges({ gatherMs, retry, our, window, purges, presence, onLooked, onPurged, onError, onChange }: LocalChangesOptions): LocalChanges {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let looks = 0
  let arePurgesKnown = false
  /** What many purges that were heard of at once have asked for together. */
  let heardOf: Promise<void> | undefined
  let isClosed = false

  const look = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    looks += 1
    try {
      await Promise.all([our().locals.refresh(), arePurgesKnown ? undefined : askPurges()])
      failures = 0
    } catch (error) {
      onError(error)
      lookAgain()
      return
    } finally {
      looks -= 1
    }
    onLooked()
  }

  /** It is still to be looked at, though nothing may change any more. */
  const lookAgain = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void look(), retryWait(failures++, retry))
  }

  const askPurges = async (asking = purges.load()): Promise<void> => {
    try {
      await asking
      arePurgesKnown = true
    } catch (error) {
      arePurgesKnown = false
      throw error
    }
  }

  const hearDraft = (change: DraftChange): void => {
    if (presence === undefined) return
    if (change.view !== undefined || change.added !== undefined) return presence.hear(change)
    // Its entry is to be on its way when it goes.
    window.publish(change.key).catch(onError).finally(() => presence.hear(change))
  }

  return {
    hear: (change) => {
      if (isClosed) return
      if (change.type === 'draft') hearDraft(change)
      if (change.type !== 'session') return
      const gone = our().locals.hear(change)
      if (change.listing === undefined) {
        presence?.forget(change.key)
        window.drop(change.key)
        // At once, or it would be fetched again before the store has answered.
        if (gone !== undefined) purges.add({ key: change.key, vector: gone.vector, life: gone.listing.life ?? 0 })
        const asking = purges.load()
        if (asking !== heardOf) {
          heardOf = asking
          askPurges(asking).then(onPurged, (error: unknown) => {
            onError(error)
            lookAgain()
          })
        }
      } else {
        window.publish(change.key).catch(onError)
        timer ??= setTimeout(() => void look(), gatherMs)
      }
      onChange()
    },
    isWaiting: () => timer !== undefined || looks > 0,
    isFailing: () => failures > 0,
    start: look,
    hurry: () => {
      if (timer !== undefined) void look()
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
