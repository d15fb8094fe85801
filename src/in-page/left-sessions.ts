import type { LeftSessions } from '../client/opening/move-session.ts'
import { isLockHeld } from '../client/worker/is-lock-held.ts'
import { locksHere } from '../client/worker/page-lock.ts'
import type { ChangeSink } from '../contract/change.ts'
import { namesOf } from '../domain/names-of.ts'
import { createSessionStore } from '../storage/create-session-store.ts'
import { openWebStorageBackend } from '../storage/web-storage-backend.ts'

export { announceUse, whileUnused } from './web-storage-use.ts'

/**
 * Opens the sessions that an earlier run kept in Web Storage. Changes are not announced to other tabs, which would take
 * them for changes of their own store.
 */
export async function openLeftSessions(name: string, onChange: ChangeSink): Promise<LeftSessions> {
  const storage = localStorage
  const locks = locksHere()
  const backend = await openWebStorageBackend({
    name: namesOf(name),
    storage,
    ...(locks === undefined ? {} : { locks }),
  })
  const prefix = `${namesOf(name)}:session:`
  const aliasPrefix = `${namesOf(name)}:alias:`
  return {
    store: createSessionStore(backend, { onChange, isOwnerAlive: isLockHeld }),
    keys: () =>
      Object.keys(storage)
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
        .sort(),
    text: (key) => storage.getItem(prefix + key),
    // Nothing is awaited in between, so that no other tab of this process can write.
    remove: (key, text) => {
      if (storage.getItem(prefix + key) !== text) return
      storage.removeItem(prefix + key)
      for (const name of Object.keys(storage))
        if (name.startsWith(aliasPrefix) && storage.getItem(name) === key) storage.removeItem(name)
    },
  }
}
