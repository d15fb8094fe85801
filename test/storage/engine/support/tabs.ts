import type { StorageBackend } from '../../../../src/contract/backend.ts'
import type { StoreChange } from '../../../../src/contract/change.ts'
import type { SessionStore } from '../../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../../src/storage/create-session-store.ts'

/** Two stores on one place; each hears of the other's changes only when told to. */
export function createTabs(backend: StorageBackend) {
  const listeners: ((change: StoreChange) => void)[] = []
  const missed: (() => void)[] = []
  const open = (at: number): SessionStore =>
    createSessionStore(backend, {
      follow: (listener) => void (listeners[at] = listener),
      onChange: (change) => missed.push(() => listeners[1 - at]!(structuredClone(change))),
    })
  return { tabs: [open(0), open(1)] as const, tell: () => missed.splice(0).forEach((tell) => tell()) }
}
