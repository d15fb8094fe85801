import type { CoreBackend } from '../../contract/backend.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { PurgePlan } from '../../domain/purge.ts'
import { createPurgePlanner } from '../../domain/purge.ts'
import { namedBlobs } from '../../domain/named-blobs.ts'
import { editKey } from '../../domain/fold.ts'
import { orderEnd } from '../../domain/order.ts'
import { planControl } from './plan.ts'
import { storedLanes } from './lane-source.ts'
import type { Mutation } from './session-writer.ts'
import { pushAll } from '../../domain/push-all.ts'

/** Erases what is visible on no line and in no checkpoint. Returns how many entries went. */
export function compactMutation(backend: CoreBackend): Mutation<PurgePlan & { readonly bytes: number; readonly named: ReadonlyMap<string, number> }, number> {
  return {
    durability: 'relaxed',
    needs: (rows) => rows.hot.version > 0,
    prepare: async ({ hot, cold }) => {
      const planner = createPurgePlanner(cold)
      const sizes = new Map<string, number>()
      const names = new Map<string, ReadonlySet<string>>()
      const source = storedLanes(backend, { hot, cold })
      for (const branch of Object.keys(cold.lanes)) {
        for await (const { rows } of source.rows(branch, '', orderEnd)) {
          for (const row of rows) {
            planner.add(row)
            sizes.set(editKey(row.branch, row.order), row.bytes)
            const named = namedBlobs(row)
            if (named.size > 0) names.set(editKey(row.branch, row.order), named)
          }
        }
      }
      const plan = planner.plan()
      const counts = new Map<string, number>()
      for (const { branch, order } of plan.rows) for (const hash of names.get(editKey(branch, order)) ?? []) counts.set(hash, (counts.get(hash) ?? 0) + 1)
      return { ...plan, named: counts, bytes: plan.rows.reduce((sum, { branch, order }) => sum + (sizes.get(editKey(branch, order)) ?? 0), 0) }
    },
    plan: (plan, found) => {
      if (found === undefined || found.rows.length === 0 || plan.work.hot.deletedAt !== undefined) return 0
      if (Object.keys(found.ranges).length > 0) planControl(plan, 'purge', { ranges: found.ranges as unknown as JsonObject }, '')
      pushAll(plan.erase, found.rows)
      for (const [hash, count] of found.named) plan.unnamed.set(hash, (plan.unnamed.get(hash) ?? 0) + count)
      plan.work.hot.entries -= found.rows.length
      plan.work.hot.bytes -= found.bytes
      return found.rows.length
    },
  }
}
