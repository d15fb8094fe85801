import type { StorageBackend } from '../../../../src/contract/backend.ts'
import type { SessionStore } from '../../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../../src/storage/memory-backend.ts'

/** A store in memory, and how many rows and sums it has read so far. */
export interface CountedStore {
  readonly backend: StorageBackend
  readonly store: SessionStore
  read: number
  /** How many it reads for that. */
  costOf(act: () => Promise<unknown>): Promise<number>
}

export function openCountedStore(): CountedStore {
  const backend = createMemoryBackend()
  const counted: CountedStore = {
    backend,
    read: 0,
    store: createSessionStore({
      ...backend,
      readRange: async (range) => {
        const part = await backend.readRange(range)
        counted.read += part.entries.length
        return part
      },
    }),
    costOf: async (act) => {
      counted.read = 0
      await act()
      return counted.read
    },
  }
  return counted
}
