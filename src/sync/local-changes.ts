import type { DraftChange, StoreChange } from '../contract/change.ts'
import { createChangeProcessing } from './change-processing.ts'
import type { LocalChangesOptions } from './local-changes-options.ts'
import type { LocalSession } from './local-sessions.ts'
import { createPurgeLoader } from './purge-loader.ts'

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

export function createLocalChanges(options: LocalChangesOptions): LocalChanges {
  const { gatherMs, our, window, purges, presence, onPurgesKnown, onError, onChange } = options
  const purgeLoader = createPurgeLoader(purges)
  const processing = createChangeProcessing({ ...options, purgeLoader })
  let isClosed = false

  const noteErased = (key: string, gone: LocalSession | undefined): void => {
    presence?.forget(key)
    void window.drop(key)
    // At once, because it would be fetched again before the store has answered.
    purges.expect(key, gone && { key, vector: gone.vector, life: gone.listing.life ?? 0 })
    purgeLoader.reload()?.then(onPurgesKnown, (error: unknown) => {
      onError(error)
      processing.repeat()
    })
  }
  return {
    handle: (change) => {
      if (isClosed) return
      if (change.type === 'draft') handleDraft(change, options)
      if (change.type !== 'session') return
      const gone = our().locals.noteChange(change)
      if (change.listing === undefined) noteErased(change.key, gone)
      else window.publish(change.key).catch(onError)
      processing.soon(gatherMs)
      onChange()
    },
    isWaiting: processing.isWaiting,
    isFailing: processing.isFailing,
    start: processing.start,
    hurry: processing.hurry,
    close: () => {
      isClosed = true
      processing.close()
    },
  }
}

function handleDraft(
  change: DraftChange,
  { presence, window, onError }: Pick<LocalChangesOptions, 'presence' | 'window' | 'onError'>,
): void {
  if (presence === undefined) return
  if (change.view !== undefined || change.added !== undefined) return presence.handleDraft(change)
  // The entry should be on its way before its draft disappears.
  window
    .publish(change.key)
    .catch(onError)
    .finally(() => presence.handleDraft(change))
}
