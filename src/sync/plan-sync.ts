import type { VersionVector } from '../contract/entry.ts'
import type { IndexEntry } from './index-entry.ts'
import type { LocalSession } from './local-sessions.ts'
import type { SyncPlan } from './status.ts'

/** Holds what is here against the list of all devices' sessions. */
export function planSync(locals: ReadonlyMap<string, LocalSession>, entries: ReadonlyMap<string, IndexEntry>): SyncPlan {
  const plan = { upload: [] as string[], download: [] as string[], exchange: [] as string[], erase: [] as string[] }
  for (const [key, { id, hash, vector }] of locals) {
    const entry = entries.get(id)
    if (entry === undefined) plan.upload.push(key)
    else if (entry.purged !== undefined) (isBegunAnew(vector, entry.purged) ? plan.upload : plan.erase).push(key)
    else if (entry.hash !== hash) plan.exchange.push(key)
  }
  for (const { key, purged } of entries.values()) if (purged === undefined && !locals.has(key)) plan.download.push(key)
  return plan
}

/** Whether a session has nothing of what was purged: it was begun anew under the same key. */
function isBegunAnew(vector: VersionVector, purged: VersionVector): boolean {
  return Object.keys(vector).every((writer) => (purged[writer] ?? 0) === 0)
}
