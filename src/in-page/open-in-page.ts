import type { StoreMode } from '../client/open-options.ts'
import type { OpenedStore, Opener } from '../client/opening/ladder.ts'
import type { ChangeFeed } from '../client/session/change-feed.ts'
import { blockedAfter } from '../client/worker/blocked-after.ts'
import { isLockHeld } from '../client/worker/is-lock-held.ts'
import { onLockFree } from '../client/worker/page-lock.ts'
import { SessionError } from '../contract/errors.ts'
import { namesOf } from '../domain/names-of.ts'
import { mirrorErasures } from '../mirror/mirror-erasures.ts'
import { createSessionStore, type SessionStoreOptions } from '../storage/create-session-store.ts'
import { openIndexedDbBackend } from '../storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../storage/memory-backend.ts'
import { openWebStorageBackend } from '../storage/web-storage-backend.ts'
import { joinTabs } from './join-tabs.ts'
import { openSealed } from './open-sealed.ts'
import { announceUse } from './web-storage-use.ts'

/** Modes that need no worker. */
export type InPageMode = Exclude<StoreMode, 'worker' | 'inline-worker'>

/** Ways to open a store in this realm. */
export const inPageOpeners: Readonly<Record<InPageMode, Opener>> = {
  'in-page': async ({ name, timeoutMs, feed, encryption, owner }): Promise<OpenedStore> => {
    // The mirror is below the encryption, so that nothing reaches it unencrypted.
    const plain = mirrorErasures(
      await openIndexedDbBackend({
        name,
        blockedAfterMs: blockedAfter(timeoutMs),
        canUnseal: encryption !== undefined,
        onNotice: feed.emit,
      }),
      name,
    )
    const sealed = encryption && (await openSealed(plain, encryption, name, feed))
    const backend = sealed?.backend ?? plain
    return {
      store: createSessionStore(backend, shared(name, feed, owner)),
      epoch: plain.epoch,
      backend,
      ...sealed?.opened,
    }
  },
  'web-storage': async ({ name, feed, encryption, owner }) => {
    if (encryption !== undefined)
      throw new SessionError('StorageUnavailable', "Web Storage can't hold an encrypted store.")
    // Node has a `localStorage` of its own, which is not the one of a page.
    if ((globalThis.document as unknown) === undefined)
      throw new SessionError('StorageUnavailable', 'There is no Web Storage outside of a page.')
    await announceUse(name, feed.ending)
    const locks = navigator.locks as LockManager | undefined
    const backend = await openWebStorageBackend({
      name: namesOf(name),
      storage: localStorage,
      ...(locks === undefined ? {} : { locks }),
    })
    return { store: createSessionStore(backend, shared(name, feed, owner)), backend }
  },
  memory: async ({ feed }) => {
    const backend = createMemoryBackend()
    return { store: createSessionStore(backend, { onChange: feed.emit }), backend }
  },
}

/** Options of a store that other tabs use too. */
function shared(name: string, feed: ChangeFeed, owner: string | undefined): SessionStoreOptions {
  return {
    ...joinTabs(name, feed),
    isOwnerAlive: isLockHeld,
    onOwnerGone: (holder, act) => onLockFree(holder, act, 'shared'),
    ...(owner === undefined ? {} : { owner }),
  }
}
