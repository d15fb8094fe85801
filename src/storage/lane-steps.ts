import type { EditMark } from '../contract/rows.ts'
import type { SessionWrite } from '../contract/write-batch.ts'
import { type PackedEntry, packEntry, place } from './packed-entry.ts'

/** A change at one order of a lane. An insert comes before an edit, and an edit before an erasure. */
export interface LaneStep {
  readonly order: string
  readonly insert?: PackedEntry
  readonly edit?: EditMark
  readonly erase?: true
}

type OpenStep = { -readonly [name in keyof LaneStep]: LaneStep[name] }

/**
 * The changes of a write inside the records of each lane, ascending by order, one step for each order. Appends are not
 * included.
 */
export function laneSteps(write: SessionWrite): ReadonlyMap<number, readonly LaneStep[]> {
  const lanes = new Map<number, Map<string, OpenStep>>()
  const stepAt = (lane: number, order: string): OpenStep => {
    const steps = lanes.get(lane) ?? new Map<string, OpenStep>()
    const step = steps.get(order) ?? { order }
    steps.set(order, step)
    lanes.set(lane, steps)
    return step
  }
  for (const { lane, entries } of write.insert) {
    for (const entry of entries) {
      const packed = packEntry(entry)
      stepAt(lane, packed[place.order]).insert ??= packed
    }
  }
  for (const { lane, order, mark } of write.edits) {
    const step = stepAt(lane, order)
    if (step.edit === undefined || step.edit.order < mark.order) step.edit = mark
  }
  for (const { lane, orders } of write.erase) for (const order of orders) stepAt(lane, order).erase = true
  return new Map(
    [...lanes].map(([lane, steps]) => [lane, [...steps.values()].sort((a, b) => (a.order < b.order ? -1 : 1))]),
  )
}
