import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { readContext } from '../context/read-context.ts'
import type { Session } from '../session-contract.ts'
import { readEntries } from './read-entries.ts'
import { readInterrupted } from './read-interrupted.ts'

/** Methods of a session that read it once. */
export type SessionReads = Pick<
  Session,
  'interrupted' | 'messages' | 'context' | 'page' | 'meta' | typeof Symbol.asyncIterator
>

export function createSessionReads(store: SessionStore, key: string): SessionReads {
  return {
    interrupted: ({ last = 512 } = {}) => readInterrupted(store, key, last),
    messages: async ({ signal } = {}) => {
      const messages: Message[] = []
      for await (const entries of readEntries(store, key, signal))
        for (const { message } of entries) if (message !== undefined) messages.push(message)
      return messages
    },
    context: (options) => readContext(store, key, options),
    page: (options) => store.read(key, options),
    meta: () => store.getMeta(key),
    async *[Symbol.asyncIterator](): AsyncGenerator<EntryView> {
      for await (const entries of readEntries(store, key, undefined, { first: 64 })) yield* entries
    },
  }
}
