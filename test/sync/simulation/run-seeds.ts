import { Simulation, type SimulationOptions } from './simulation.ts'

/** Runs in `npm test` or `npm run test:more`; `SYNC_RUNS` asks for more, as CI does. */
export const simulationRuns = Number(process.env['SYNC_RUNS'] ?? 400)

/**
 * Runs every `parts`-th seed from `part` on. `SYNC_SEED` runs that one alone, and tells what happened in it.
 *
 * @throws the first that broke a law, with how to repeat it
 */
export async function runSeeds(
  part: number,
  parts: number,
  { runs = simulationRuns, ...options }: SimulationOptions & { readonly runs?: number } = {},
): Promise<number> {
  const asked = process.env['SYNC_SEED']
  let headless = 0
  for (let seed = asked === undefined ? part : Number(asked); asked !== undefined || seed < runs; seed += parts) {
    const simulation = new Simulation(seed, options)
    await simulation.run().catch((error: unknown) => {
      const told = asked === undefined ? '' : `\n${simulation.history.join('\n')}`
      throw new Error(
        `seed ${seed}: ${(error as Error).message}${told}\nRepeat it: SYNC_SEED=${seed} npx vitest run --project node test/sync/simulation/half-1.test.ts`,
        { cause: error },
      )
    })
    headless += simulation.headless
    if (asked !== undefined) break
  }
  return headless
}

/** How many of so many seeds break a law: for faults that are there on purpose. */
export async function countFailures(seeds: number, options: SimulationOptions): Promise<number> {
  let failures = 0
  for (let seed = 0; seed < seeds; seed++)
    failures += await new Simulation(seed, options).run().then(
      () => 0,
      () => 1,
    )
  return failures
}
