// Types of its own: those of RxDB would have to be installed for every check of the project.
import type { Message } from '../../src/contract/message.ts'

/** RxDB as its documentation shows it, with the storage that is free in browsers. */
export interface RxLog {
  /** Inserts a document. */
  append(session: string, at: number, message: Message): Promise<void>
  bulkInsert(session: string, from: number, messages: readonly Message[]): Promise<void>
  last(session: string, count: number): Promise<readonly Message[]>
  all(session: string): Promise<readonly Message[]>
  count(session: string): Promise<number>
  close(): Promise<void>
}

export function openRxLog(name: string): Promise<RxLog>
