import { expect, it } from 'vitest'
import { runSeeds, simulationRuns } from './run-seeds.ts'

it(
  'leads every name to the same session on all devices, with all that was said under it, whatever goes wrong on the way',
  async () => {
    const runs = Math.ceil(simulationRuns / 25)
    expect(await runSeeds(0, 1, { runs, hasNames: true })).toBeLessThanOrEqual(runs / 20)
  },
  30_000 * Math.max(10, simulationRuns / 100),
)
