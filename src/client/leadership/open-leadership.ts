import type { OpenedClient } from '../opening/opened-client.ts'
import { createLeadership } from './create-leadership.ts'
import type { Leadership } from './leadership-types.ts'

/** The place of a client among all that are open on its database. */
export function openLeadership({
  store,
  name,
  mode,
  feed,
}: Pick<OpenedClient, 'store' | 'name' | 'mode' | 'feed'>): Leadership {
  const leadership = createLeadership({
    store,
    // Sessions in memory are this tab's alone; those in Web Storage are others than those of the database.
    office: mode === 'memory' ? undefined : `keepsession:${name}:leader${mode === 'web-storage' ? ':web-storage' : ''}`,
    onTrouble: (message) => feed.emit({ type: 'notice', name: 'degraded', message }),
  })
  // Its worker may have begun a new database, or refuse whatever is asked of the old one.
  feed.subscribe(({ type }) => void (type === 'notice' && leadership.recheck()))
  const end = (): void => void leadership.close()
  feed.ending.addEventListener('abort', end)
  if (feed.ending.aborted) end()
  return leadership
}
