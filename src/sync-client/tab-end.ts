import { SessionError } from '../contract/errors.ts'
import type { SyncChannel } from './sync-channel.ts'
import type { TabCalls } from './tab-calls.ts'
import type { TabSnapshot } from './tab-snapshot.ts'
import type { TabState } from './tab-state.ts'
import type { TabWatches } from './watch-in-tabs.ts'

export interface TabEndOptions {
  /** Names this tab. */
  readonly tab: string
  /** Shows the other tabs that this one has ended. */
  readonly release: () => void
  readonly channel: SyncChannel
  readonly state: TabState
  readonly snapshot: TabSnapshot
  readonly calls: TabCalls
  readonly watches: TabWatches
}

/** The end of sync in this tab, which comes once. */
export interface TabEnd {
  /** Aborts with the end. */
  readonly signal: AbortSignal
  isEnding(): boolean
  /** The end waits for this, which ends with the signal. */
  waitFor(work: Promise<unknown>): void
  /** Other tabs are still heard. @param message - why, unless this tab closed it */
  end(message?: string): Promise<void>
  /** Ends it, and the channel to the other tabs. */
  close(): Promise<void>
}

export function createTabEnd(options: TabEndOptions): TabEnd {
  const { tab, release, channel, state, snapshot, calls, watches } = options
  const controller = new AbortController()
  let work: Promise<unknown> = Promise.resolve()
  let closing: Promise<void> | undefined

  const end = async (message?: string): Promise<void> => {
    const { engine } = state
    state.engine = undefined
    calls.close(new SessionError('StorageClosed', 'Sync was closed in this tab.'))
    await engine?.call(['close']).catch(() => undefined)
    controller.abort()
    await work
    watches.close()
    snapshot.showClosed(message)
    snapshot.showPresence({})
    channel.post({ sync: 'watching', tab, keys: [] })
    release()
    snapshot.close()
  }
  return {
    signal: controller.signal,
    isEnding: () => closing !== undefined,
    waitFor: (one) => {
      work = one
    },
    end: (message) => (closing ??= end(message)),
    close: () => (closing ??= end().finally(channel.close)),
  }
}
