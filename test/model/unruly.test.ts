import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryProblem } from '../../src/domain/seal.ts'
import { differences } from './support/compare.ts'
import { createDevice, receive } from './support/device.ts'
import { holds, patience, report } from './support/laws.ts'
import { projection } from './support/projection.ts'
import { pieces, shuffledBySender } from './support/shuffle.ts'
import { unrulyLogs } from './support/unruly-entries.ts'

describe("entries that keep no writer's rule", { timeout: patience }, () => {
  it('are kept current as the fold has them, and read the same everywhere', () => {
    const counts = { entries: 0, comparisons: 0 }
    holds(
      { quick: 100, full: 20_000 },
      fc.property(unrulyLogs(), fc.nat(), fc.integer({ min: 1, max: 6 }), (log, seed, most) => {
        const [first, second] = [seed, seed + 1].map((order) => {
          const device = createDevice([], 0)
          for (const piece of pieces(shuffledBySender(log, order), most, order)) {
            receive(device, piece)
            expect(differences(device)).toEqual([])
            counts.comparisons += 1
          }
          return device
        })
        expect(projection(second!)).toEqual(projection(first!))
        counts.entries += log.length
      }),
    )
    report('unruly', counts)
  })

  it('are such as a store takes in', () => {
    holds(
      { quick: 100, full: 1_000 },
      fc.property(
        unrulyLogs(),
        (log) => void expect(log.map((entry) => entryProblem(entry))).toEqual(log.map(() => undefined)),
      ),
    )
  })
})
