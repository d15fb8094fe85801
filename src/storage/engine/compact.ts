import type { StorageBackend } from '../../contract/backend.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { PurgePlan } from '../../domain/purge.ts'
import { createPurgePlanner } from '../../domain/purge.ts'
import { planControl } from './plan.ts'
import { readLane } from './session-reader.ts'
import type { Mutation } from './session-writer.ts'

/** Erases what is visible on no line and in no checkpoint (W8). Returns how many entries went. */
export function compactMutation(backend: StorageBackend): Mutation<PurgePlan, number> {
  return {
    durability: 'relaxed',
    needs: (rows) => rows.hot.version > 0,
    prepare: async ({ hot, cold }) => {
      const planner = createPurgePlanner(cold)
      for (const lane of Object.values(cold.lanes)) for (const row of await readLane(backend, hot.session, lane, '')) planner.add(row)
      return planner.plan()
    },
    plan: (plan, found) => {
      if (found === undefined || found.rows.length === 0 || plan.work.hot.deletedAt !== undefined) return 0
      if (Object.keys(found.ranges).length > 0) planControl(plan, 'purge', { ranges: found.ranges as unknown as JsonObject }, '')
      plan.erase.push(...found.rows)
      plan.work.hot.entries -= found.rows.length
      return found.rows.length
    },
  }
}
