import type { JsonObject } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { tick } from '../../../domain/clock.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { measureData, sealEntry } from '../../../domain/seal.ts'
import { type Plan, takeIn } from '../writing/plan.ts'

/**
 * Sets metadata in the way of every device that knows the same of the session: with the same entry by the same writer,
 * whose number is a hash of the content. So the entries of several devices are one.
 */
export function planDerived(plan: Plan, set: JsonObject): void {
  const { key, clock: last, updatedAt: at } = plan.work.hot
  const clock = tick(last, 0)
  const data = { set }
  const entry = sealEntry({
    w: hash53(canonicalJson([key, clock.hp, clock.hc, at, data])),
    s: 0,
    branch: '',
    type: 'meta',
    data,
    at,
    clock,
  })
  takeIn(plan, entry, measureData(data).bytes)
}
