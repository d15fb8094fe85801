import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import type { LocalSessions } from './local-sessions.ts'
import { standingOf } from './session-standing.ts'
import type { SyncPlan } from './status.ts'

/** Holds what is here against the list of all devices' sessions. What can't be read here is left alone, and so is what is kept here alone. */
export function planSync({ all: locals, unreadable }: Pick<LocalSessions, 'all' | 'unreadable'>, entries: ReadonlyMap<string, IndexEntry>): SyncPlan {
  const plan = { upload: [] as string[], download: [] as string[], exchange: [] as string[], erase: [] as string[] }
  for (const [key, local] of locals) {
    const standing = standingOf(local, entries.get(local.id))
    if (standing !== 'same' && standing !== 'kept') plan[standing].push(key)
  }
  for (const entry of entries.values()) if (!isGone(entry) && !locals.has(entry.key) && !unreadable.has(entry.key)) plan.download.push(entry.key)
  return plan
}
