import type { IndexEntry } from './index-entry.ts'
import { isBegunAnew } from './is-begun-anew.ts'
import { isGone } from './is-gone.ts'
import type { LocalSessions } from './local-sessions.ts'
import type { SyncPlan } from './status.ts'

/** Holds what is here against the list of all devices' sessions. What can't be read here is left alone. */
export function planSync({ all: locals, unreadable }: Pick<LocalSessions, 'all' | 'unreadable'>, entries: ReadonlyMap<string, IndexEntry>): SyncPlan {
  const plan = { upload: [] as string[], download: [] as string[], exchange: [] as string[], erase: [] as string[] }
  for (const [key, { id, hash, vector }] of locals) {
    const entry = entries.get(id)
    if (entry === undefined) plan.upload.push(key)
    else if (entry.purged !== undefined && !isBegunAnew(vector, entry.purged)) plan.erase.push(key)
    else if (isGone(entry)) plan.upload.push(key)
    else if (entry.hash !== hash) plan.exchange.push(key)
  }
  for (const entry of entries.values()) if (!isGone(entry) && !locals.has(entry.key) && !unreadable.has(entry.key)) plan.download.push(entry.key)
  return plan
}
