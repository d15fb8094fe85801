import type { OpenedClient } from '../session-client.ts'
import { createLeadership } from './create-leadership.ts'
import type { Leadership } from './types.ts'

/** The place of a client among all that are open on its database. */
export function openLeadership({ store, name, mode, feed }: Pick<OpenedClient, 'store' | 'name' | 'mode' | 'feed'>): Leadership {
  const leadership = createLeadership({
    store,
    // Sessions in memory are this tab's alone; those in Web Storage are others than those of the database.
    office: mode === 'memory' ? undefined : `keepsession:${name}:leader${mode === 'web-storage' ? ':web-storage' : ''}`,
    onTrouble: (message) => feed.emit({ type: 'notice', name: 'degraded', message }),
  })
  const end = (): void => void leadership.close()
  feed.ending.addEventListener('abort', end)
  if (feed.ending.aborted) end()
  return leadership
}
