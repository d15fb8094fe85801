import type { EntryReceipt } from '../entry.ts'
import type { Message } from '../message.ts'
import type { WriteOptions } from './write-options.ts'

export interface HistoryOptions extends WriteOptions {
  /** Keeps transient thoughts (reasoning without content), which PicoClaw drops. */
  readonly keepThoughts?: boolean
}

/** The methods of PicoClaw's `SessionStore`, as far as they are not facets of their own. */
export interface PicoClawStore {
  addMessage(key: string, role: string, content: string, options?: WriteOptions): Promise<EntryReceipt | undefined>
  /** Appends any message. Transient thoughts (PicoClaw: reasoning without content) are dropped and give `undefined`. */
  addFullMessage(key: string, message: Message, options?: WriteOptions): Promise<EntryReceipt | undefined>
  /** The messages of the head line's context view. */
  getHistory(key: string): Promise<readonly Message[]>
  /**
   * Makes the history equal to `messages`, by the smallest change of the log (append, cut, remove), so that saving
   * everything stays cheap. Transient thoughts are dropped.
   */
  setHistory(key: string, messages: readonly Message[], options?: HistoryOptions): Promise<void>
  getSummary(key: string): Promise<string>
  setSummary(key: string, summary: string, options?: WriteOptions): Promise<void>
  /**
   * Forgets all but the last `keepLast` messages. Logical: the log keeps them until `reclaim`. 0 or less forgets all.
   */
  truncateHistory(key: string, keepLast: number, options?: WriteOptions): Promise<void>
  /** PicoClaw's `Save`: the same as `reclaim`. */
  save(key: string): Promise<void>
}
