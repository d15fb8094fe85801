import type { Message } from '../../src/contract/message.ts'

/** A Yjs document for each session, as y-indexeddb keeps it: the messages are an array in memory. */
export interface YLog {
  append(message: Message): Promise<void>
  /** An update for each message, of which only the last is awaited. */
  appendEach(messages: readonly Message[]): Promise<void>
  /** One update for all. */
  appendAll(messages: readonly Message[]): Promise<void>
  all(): readonly Message[]
  close(): Promise<void>
}

/** Loads the whole document, which is the only way to read it. */
export function openYLog(name: string): Promise<YLog>
