import type { Conversation } from './conversation/conversation.ts'

/** Reads a log whose lines are parts of conversations. */
export interface LogReader {
  /** Reads one line. @param bytes - length of its text. @returns why it can't be imported */
  take(value: Readonly<Record<string, unknown>>, line: number, bytes: number): string | undefined
  /** The conversations, in the order of their first lines. */
  end(): readonly Conversation[]
}
