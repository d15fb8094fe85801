import { namesOf } from '../../domain/names-of.ts'
import type { OpenedClient } from '../opening/opened-client.ts'
import { storageOfMode } from '../opening/storage-of-mode.ts'
import { createLeadership } from './create-leadership.ts'
import type { Leadership } from './leadership-types.ts'

/**
 * What follows the name of the lock. Sessions in memory belong to this tab alone, and need no lock. Those in Web Storage
 * are not those of the database.
 */
const lockSuffixes = { indexeddb: '', 'web-storage': ':web-storage', memory: undefined } as const

/** Opens the leadership of a client among all that use its database. */
export function openLeadership({
  store,
  name,
  mode,
  feed,
}: Pick<OpenedClient, 'store' | 'name' | 'mode' | 'feed'>): Leadership {
  const suffix = lockSuffixes[storageOfMode[mode]]
  const leadership = createLeadership({
    store,
    lock: suffix === undefined ? undefined : `${namesOf(name)}:leader${suffix}`,
    onTrouble: (message) => feed.emit({ type: 'notice', name: 'degraded', message }),
  })
  // The worker may have created a new database, or refuse calls for the old one.
  feed.subscribe(({ type }) => void (type === 'notice' && leadership.recheck()))
  const end = (): void => void leadership.close()
  feed.ending.addEventListener('abort', end)
  if (feed.ending.aborted) end()
  return leadership
}
