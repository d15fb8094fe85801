import type { ConnectedSessionsOptions } from './connected-sessions-options.ts'
import { createExchangePlans } from './exchange-plans.ts'
import { sessionOpener } from './open-connected.ts'
import type { SessionTrouble } from './session-link-options.ts'
import { createSessionWindow, type SessionWindow } from './session-window.ts'
import { createSyncedSessions } from './synced-sessions.ts'

export interface ConnectedSessions extends SessionWindow {
  /**
   * Closes the sessions that would be exchanged in another way now, such as in their next life, and has them reviewed.
   */
  dropStale(): void
}

/** The number of messages up to which a session counts as small. */
const mostOfSmall = 16

/** The number of messages that a session has here or elsewhere. */
function messagesOf(key: string, { our, settled }: Pick<ConnectedSessionsOptions, 'our' | 'settled'>): number {
  const here = our().locals.all.get(key)?.listing.messageCount ?? 0
  return Math.max(here, settled.entryOf(key)?.messageCount ?? 0)
}

/** The sessions that are connected, and what is published and recorded of each one that was exchanged. */
export function createConnectedSessions(options: ConnectedSessionsOptions): ConnectedSessions {
  const { our, transport, presence, watched, failed, settled, purges } = options
  const { onReadonly, onOpen, onError, onChange } = options
  const plans = createExchangePlans({ our, settled, purges, isAmongPeers: transport.onAsked !== undefined })
  const synced = createSyncedSessions({ ...options, plans })
  const open = sessionOpener({ ...options, plans, synced })
  /** The store may have refused what came because another session is under this key now. */
  const reread = (key: string): void => {
    const { locals } = our()
    const local = locals.all.get(key)
    if (local === undefined) return
    locals.reread(local.listing)
    locals.refresh().catch(onError)
  }
  const onTrouble = (key: string, trouble: SessionTrouble): void => {
    if (trouble.state === 'error') reread(key)
    if (trouble.state === 'readonly') onReadonly()
    if ('message' in trouble) onError(new Error(`Session "${key}": ${trouble.message}`))
    if (trouble.state === 'wrongKey') our().sealed.add(key)
    if (trouble.state !== 'offline') settled.add(key)
    if (trouble.state === 'error' || trouble.state === 'denied' || trouble.state === 'offline') failed.failed(key)
    onChange()
  }

  const { size, liveMs, now } = options
  const isKept = (key: string): boolean => watched.has(key) || presence?.streaming().includes(key) === true
  const window = createSessionWindow({
    size,
    isSmall: (key) => messagesOf(key, options) <= mostOfSmall,
    liveMs,
    now,
    open,
    // While it is connected it cannot be exchanged again.
    onSynced: (key, proven, isMost) => synced.onSynced(key, proven, isMost, () => window.drop(key)),
    onTrouble,
    onChange,
    isKept,
  })
  return {
    ...window,
    dropStale: () => {
      for (const key of plans.takeStale(window.isOpen)) {
        settled.delete(key)
        void window.drop(key).then(onOpen)
      }
    },
  }
}
