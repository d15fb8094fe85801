import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import type { LocalSessions } from './local-sessions.ts'
import { standingOf } from './session-standing.ts'
import type { SyncPlan } from './status.ts'

/**
 * Compares what is here with the list of all devices' sessions. Unreadable sessions are skipped, and so are those that
 * are kept on this device only.
 */
export function planSync(
  { all: locals, unreadable }: Pick<LocalSessions, 'all' | 'unreadable'>,
  entries: ReadonlyMap<string, IndexEntry>,
): SyncPlan {
  const plan = { upload: [] as string[], download: [] as string[], exchange: [] as string[], erase: [] as string[] }
  for (const [key, local] of locals) {
    const standing = standingOf(local, entries.get(local.id))
    if (standing !== 'same' && standing !== 'kept') plan[standing].push(key)
  }
  for (const entry of entries.values())
    if (!isGone(entry) && !locals.has(entry.key) && !unreadable.has(entry.key)) plan.download.push(entry.key)
  return plan
}
