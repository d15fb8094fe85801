import { expect, it } from 'vitest'
import { countAsCutFails } from './count-as-cut.ts'
import { countFailures } from './run-seeds.ts'

// What the simulation can't see it does not prove: these are mistakes that it must find.

it('finds out who writes under a stored device id', async () => {
  const runs = 20
  // Each device has a number of its own, which clones take along and wiped ones keep.
  expect(await countFailures(runs, { hasStoredIds: true, steps: 110 })).toBeGreaterThanOrEqual(runs / 2)
}, 120_000)

it('finds out who hides by a count', () => {
  const runs = 300
  expect(Array.from({ length: runs }, (_, seed) => seed).filter(countAsCutFails).length).toBeGreaterThanOrEqual(
    runs / 2,
  )
})
