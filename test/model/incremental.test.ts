import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences } from './support/compare.ts'
import { holds, patience, report } from './support/laws.ts'
import { schedules } from './support/schedules.ts'
import type { Observer } from './support/simulation.ts'
import { exchangeAll, simulate } from './support/simulation.ts'

describe('what a device keeps current', { timeout: patience }, () => {
  it('equals the fold of all it was given, after every transaction', () => {
    const counts = { entries: 0, comparisons: 0 }
    const observer: Observer = {
      settled: (device) => {
        counts.comparisons += 1
        expect(differences(device)).toEqual([])
      },
    }
    holds(
      { quick: 100, full: 45_000 },
      fc.property(schedules(), (schedule) => {
        const world = simulate(schedule, observer)
        exchangeAll(world, observer)
        counts.entries += world.devices[0]!.log.size
      }),
    )
    report('incremental == fold', counts)
  })

  it('equals it in long sessions too', () => {
    holds(
      { quick: 3, full: 500 },
      fc.property(schedules(400), (schedule) => {
        const world = simulate(schedule)
        exchangeAll(world)
        for (const device of world.devices) expect(differences(device)).toEqual([])
      }),
    )
  })
})
