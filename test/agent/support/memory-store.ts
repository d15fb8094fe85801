import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** A store of its own. */
export const memoryStore = (): SessionStore => createSessionStore(createMemoryBackend())

/** Two stores on the same place, neither of which hears in time what the other one does. */
export function twoDeafTabs(): readonly [SessionStore, SessionStore] {
  const backend = createMemoryBackend()
  const open = (): SessionStore => createSessionStore(backend, { follow: () => undefined })
  return [open(), open()]
}

/** Two stores on the same place, as two tabs have them. */
export function twoTabs(): readonly [SessionStore, SessionStore] {
  const backend = createMemoryBackend()
  return [createSessionStore(backend), createSessionStore(backend)]
}
