import { drawRootKey } from '../../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import { Account, type AccountOptions } from './account.ts'
import { checkAccount } from './account-laws.ts'

interface RunOptions extends AccountOptions {
  /** How long the devices may take to come to the same, in milliseconds. */
  readonly patience?: number
}

/** Runs in `npm test` or `npm run test:more`; `SYNC_ACCOUNT_RUNS` asks for more, as CI does. */
export const accountRuns = Number(process.env['SYNC_ACCOUNT_RUNS'] ?? 60)
/** The first of them: a long run can be made in stretches. */
const firstSeed = Number(process.env['SYNC_ACCOUNT_FIRST'] ?? 0)
/** At once: most of them wait. */
const atOnce = 12

/**
 * Runs every `parts`-th seed from `part` on, each seventh encrypted. `SYNC_SEED` runs that one alone.
 *
 * @throws the first that broke a law, with what was done
 */
export async function runAccounts(
  part: number,
  parts: number,
  runs = accountRuns,
  options: AccountOptions = {},
): Promise<void> {
  const asked = process.env['SYNC_SEED']
  const seeds =
    asked === undefined
      ? Array.from({ length: Math.ceil((runs - part) / parts) }, (_, i) => firstSeed + part + i * parts)
      : [Number(asked)]
  await eachOf(seeds, async (seed) => {
    const error = await runAccount(seed, options)
    if (error !== undefined) throw error
  })
}

/**
 * Runs accounts with a fault that is there on purpose until `wanted` of them broke a law, `most` at most: how often it
 * shows is left to the interleaving, so that a fixed number of accounts would make a control that fails by chance.
 *
 * @returns how many broke one: `wanted` or more, unless the laws can't see the fault
 */
export async function findBrokenAccounts(wanted: number, most: number, options: RunOptions): Promise<number> {
  let broken = 0
  await eachOf(
    Array.from({ length: most }, (_, seed) => seed),
    async (seed) => {
      if (broken >= wanted) return
      const error = await runAccount(seed, options)
      // Not in one statement: others count while this one runs.
      if (error !== undefined) broken += 1
    },
  )
  return broken
}

async function runAccount(seed: number, { patience, ...options }: RunOptions): Promise<Error | undefined> {
  const keys = seed % 7 === 3 ? await openSyncKeys(drawRootKey(), 'me') : undefined
  const account = new Account(seed, { keys, ...options })
  try {
    await account.run()
    await checkAccount(account, patience)
    return undefined
  } catch (error) {
    return new Error(
      `seed ${seed}: ${(error as Error).message}\n${account.history.join('\n')}\nRepeat it: SYNC_SEED=${seed} npx vitest run --config vitest.more.config.ts test/sync/simulation/accounts-1.test.ts`,
      { cause: error },
    )
  } finally {
    await account.close()
  }
}

async function eachOf(seeds: readonly number[], run: (seed: number) => Promise<void>): Promise<void> {
  const left = [...seeds]
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) await run(seed)
  }
  const workers = await Promise.allSettled(Array.from({ length: Math.min(atOnce, seeds.length) }, work))
  const failures = workers.flatMap((worker) => (worker.status === 'rejected' ? [worker.reason as Error] : []))
  // Whether several failed at once tells a machine that stood still from a law that is broken.
  if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n\n'))
  if (failures[0] !== undefined) throw failures[0]
}
