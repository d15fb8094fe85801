import { createStoredThread, type StoredThread, type ThreadClient } from './stored-thread.ts'
import type { ThreadPersistence, ThreadState } from './thread-types.ts'

export interface PersistenceOptions {
  /**
   * Told of each write that failed, and of messages that can't be loaded: the chat itself goes on without a word.
   * Default: `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * Stores the chats of TanStack AI as sessions, one for each thread: the `persistence` of `ChatClient` and `useChat`.
 *
 * Only what the chat itself changed is written, so that tabs that show the same thread lose nothing of each other. A reply
 * is journalled while it is streamed, at most 150 ms behind. Dates and bytes in messages survive.
 *
 * @example
 * const persistence = createPersistence(client)
 * const chat = useChat({ threadId: 'chat-1', persistence, connection })
 */
// biome-ignore lint/suspicious/noExplicitAny: without a context that says which messages they are, any will do.
export function createPersistence<M = any>(
  client: ThreadClient,
  // The host swallows what this adapter throws, so that somebody must say it.
  { onError = (error) => console.error(error) }: PersistenceOptions = {},
): ThreadPersistence<M> {
  const threads = new Map<string, StoredThread>()
  function threadOf(id: string): StoredThread {
    const known = threads.get(id) ?? createStoredThread(client, id, onError)
    threads.set(id, known)
    return known
  }
  async function reported<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      onError(error)
      throw error
    }
  }

  return {
    getItem: (id) => reported(threadOf(id).load() as Promise<ThreadState<M> | null>),
    setItem: (id, state) => threadOf(id).set(state as ThreadState<never>),
    removeItem: (id) => reported(threadOf(id).remove()),
    flush: async (id) => {
      const flushed = id === undefined ? [...threads.values()] : [threadOf(id)]
      await Promise.all(flushed.map((thread) => thread.flush()))
    },
  }
}
