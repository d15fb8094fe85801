import { openSessionExchange, type SessionExchange } from './session-exchange.ts'
import type { SessionWindowOptions } from './session-window-options.ts'
import type { SessionSyncState } from './status.ts'

export interface OpenedExchangesOptions extends Omit<SessionWindowOptions, 'onChange'> {
  readonly onState: (key: string, state: SessionSyncState) => void
}

/** The sessions that are connected, never more than `size` that are not being exchanged. */
export interface OpenedExchanges {
  has(key: string): boolean
  /** Connects a session unless it is connected, and exchanges it. Never rejects. */
  run(key: string): Promise<void>
  /** Sends what the log has got. @returns how many entries; 0 where it is not connected */
  publish(key: string): Promise<number>
  /** Resolves when nothing of it is under way any more. */
  close(key: string): Promise<void>
  /** Closes those that have not changed for a while. */
  closeIdle(): void
  closeAll(): Promise<void>
}

export function createOpenedExchanges(options: OpenedExchangesOptions): OpenedExchanges {
  const { size, liveMs, isKept, now, open, onSynced, onState, onTrouble } = options
  const opened = new Map<string, SessionExchange>()
  /** Those that are being exchanged. */
  const running = new Set<string>()

  const connect = (key: string): SessionExchange => {
    const one = openSessionExchange({
      now,
      open: (events) => open(key, events),
      onSynced: (proven, isMost) => onSynced(key, proven, isMost),
      onState: (state) => onState(key, state),
      onTrouble: (trouble) => onTrouble(key, trouble),
      onClosed: () => opened.delete(key),
    })
    opened.set(key, one)
    return one
  }
  /**
   * Makes room: a server refuses a device that has too many documents open, and each one takes memory here. Someone is
   * looking at those that are kept: they are closed last.
   */
  const releaseOldest = (): void => {
    const idle = [...opened].filter(([key]) => !running.has(key))
    const unseen = idle.filter(([key]) => !isKept(key))
    const [oldest] = (unseen.length > 0 ? unseen : idle).sort(([, one], [, other]) => one.since() - other.since())
    void oldest?.[1].close()
  }

  return {
    has: (key) => opened.has(key),
    run: async (key) => {
      if (!opened.has(key) && opened.size >= size) releaseOldest()
      running.add(key)
      onState(key, 'syncing')
      await (opened.get(key) ?? connect(key)).run()
      running.delete(key)
      if (opened.size - running.size > size) releaseOldest()
    },
    publish: async (key) => opened.get(key)?.publish() ?? 0,
    close: async (key) => opened.get(key)?.close(),
    closeIdle: () => {
      const since = now() - liveMs
      for (const [key, one] of opened) if (one.since() < since && !running.has(key) && !isKept(key)) void one.close()
    },
    closeAll: async () => void (await Promise.all([...opened.values()].map((one) => one.close()))),
  }
}
