import type { StorageBackend } from '../contract/backend.ts'
import type { NoticeChange, StoreChange } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import type { SessionStore, StoreEnvironment } from '../contract/store.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { Ladder } from './ladder.ts'
import { isLockHeld } from './page-lock.ts'

/** What the engine can be given. */
export interface EngineOptions extends Partial<StoreEnvironment> {
  readonly follow?: (listener: (change: StoreChange) => void) => void
  readonly isOwnerAlive?: (owner: string) => Promise<boolean>
}

/** The engine and its backends: loaded on demand in a page, at once where there is no `import()`. */
export interface InPageParts {
  createSessionStore(backend: StorageBackend, options: EngineOptions): SessionStore
  createMemoryBackend(): StorageBackend
  openIndexedDbBackend(options: { readonly name: string; readonly blockedAfterMs?: number; readonly onNotice?: (notice: NoticeChange) => void }): Promise<StorageBackend & { readonly epoch: string }>
  openWebStorageBackend(options: { readonly name: string; readonly storage: Storage; readonly locks?: LockManager }): Promise<StorageBackend>
}

/** Ways to open a store in this realm. */
export function inPageOpeners(load: () => Promise<InPageParts>): Ladder {
  return {
    'in-page': async ({ name, timeoutMs, feed, owner }) => {
      if (globalThis.indexedDB as unknown === undefined) throw new SessionError('StorageUnavailable', 'There is no IndexedDB here.')
      const { openIndexedDbBackend, createSessionStore } = await load()
      const backend = await openIndexedDbBackend({ name, blockedAfterMs: timeoutMs * 0.75, onNotice: feed.emit })
      return { store: createSessionStore(backend, shared(feed, owner)), epoch: backend.epoch }
    },
    'web-storage': async ({ name, feed, owner }) => {
      // Node has a `localStorage` of its own, which is not meant.
      if (globalThis.document as unknown === undefined) throw new SessionError('StorageUnavailable', 'There is no Web Storage outside of a page.')
      const { openWebStorageBackend, createSessionStore } = await load()
      const locks = navigator.locks as LockManager | undefined
      const backend = await openWebStorageBackend({ name: `keepsession:${name}`, storage: localStorage, ...(locks === undefined ? {} : { locks }) })
      return { store: createSessionStore(backend, shared(feed, owner)) }
    },
    memory: async ({ feed }) => {
      const { createMemoryBackend, createSessionStore } = await load()
      return { store: createSessionStore(createMemoryBackend(), { onChange: feed.emit }) }
    },
  }
}

/** For a store that other tabs use as well. */
function shared(feed: ChangeFeed, owner: string | undefined): EngineOptions {
  return { onChange: feed.announce, follow: feed.onOthers, isOwnerAlive: isLockHeld, ...(owner === undefined ? {} : { owner }) }
}
