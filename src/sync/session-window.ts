import { createExchangeQueue } from './exchange-queue.ts'
import { createOpenedExchanges } from './opened-exchanges.ts'
import type { SessionWindowOptions } from './session-window-options.ts'
import type { SessionSyncState } from './status.ts'

/** The connected sessions, and those that wait: a server allows few open documents for each connection. */
export interface SessionWindow {
  /** Exchanges these, in this order, before those that wait already. */
  add(keys: readonly string[]): void
  /**
   * Connects a session that a peer asks for, whatever waits here: two devices that wait for each other would wait for
   * ever.
   */
  serve(key: string): void
  /** Whether it is connected, or about to be. */
  isOpen(key: string): boolean
  state(key: string): SessionSyncState
  states(): ReadonlyMap<string, SessionSyncState>
  /** How many wait or are being exchanged; how many of how many are done since none was. */
  pending(): number
  progress(): { readonly done: number; readonly total: number }
  /** Sends what the log of a connected session has got. @returns how many entries; 0 where it is not connected */
  publish(key: string): Promise<number>
  /** Closes a session that is gone. Resolves when nothing of it is under way any more. */
  drop(key: string): Promise<void>
  /** Closes those that have not changed for a while. */
  closeIdle(): void
  /** Exchanges waiting sessions, from now on. */
  start(): void
  /** Closes all, and exchanges none until it is started again. */
  stop(): Promise<void>
}

export function createSessionWindow(options: SessionWindowOptions): SessionWindow {
  const states = new Map<string, SessionSyncState>()
  const opened = createOpenedExchanges({ ...options, onState: (key, state) => states.set(key, state) })
  const queue = createExchangeQueue({ ...options, exchange: opened.run })

  return {
    add: (keys) => {
      const fresh = keys.filter((key) => !queue.isBusy(key))
      for (const key of fresh) states.set(key, 'waiting')
      queue.add(fresh)
    },
    serve: (key) => {
      if (!opened.has(key)) queue.serve(key)
    },
    isOpen: (key) => opened.has(key) || queue.isBusy(key),
    state: (key) => states.get(key) ?? 'unknown',
    states: () => states,
    pending: queue.pending,
    progress: queue.progress,
    publish: opened.publish,
    drop: async (key) => {
      queue.remove(key)
      states.delete(key)
      await opened.close(key)
    },
    closeIdle: opened.closeIdle,
    start: queue.start,
    stop: async () => {
      queue.stop()
      // The next connection finds out again. A session under another key stays one.
      for (const [key, state] of states) if (state !== 'synced' && state !== 'wrongKey') states.set(key, 'unknown')
      await opened.closeAll()
    },
  }
}
