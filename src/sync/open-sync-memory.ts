import { withMemoryTable } from './memory-table.ts'
import type { RememberedSync, SyncMemory } from './sync-memory.ts'

/** A memory in IndexedDB. */
export function openSyncMemory(name: string, namespace: string): SyncMemory {
  return {
    // A memory that cannot be read counts as empty.
    load: () =>
      withMemoryTable(
        name,
        'readonly',
        (store) => store.get(namespace) as IDBRequest<RememberedSync | undefined>,
      ).catch(() => undefined),
    save: async (state) => void (await withMemoryTable(name, 'readwrite', (store) => store.put(state, namespace))),
  }
}
