import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { shuffled } from '../model/support/shuffle.ts'

/**
 * Files that take much longer than others. They are begun first: one that is begun last leaves all cores but its own
 * idle, for minutes. Which these are says `npm test`, which prints how long each takes.
 */
export const longFiles: readonly string[] = [
  'test/store/stores.test.ts',
  'test/scale/every-method.test.ts',
  'test/client/context/random-histories.test.ts',
  'test/sync/simulation/half-1.test.ts',
  'test/sync/simulation/half-2.test.ts',
  'test/sync/simulation/account-controls.test.ts',
  'test/sync/among-equals.test.ts',
  'test/faults/sweep/fault-sweep.test.ts',
  'test/sync/open-sync.test.ts',
  'test/leaves-nothing-behind.test.ts',
  'test/store/worker.browser.test.ts',
  'test/store/stores.browser.test.ts',
  'test/store/in-page.browser.test.ts',
  'test/search/search.browser.test.ts',
  'test/e2e/two-releases.test.ts',
  'test/e2e/sync.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/demo-sync.test.ts',
  'test/e2e/demo-offline.test.ts',
  'test/e2e/leader.test.ts',
  'test/packaging/consumer.test.ts',
  'test/packaging/types.test.ts',
]

/** Files in the order of a seed, the long ones first, and these in the order of the seed as well. */
export function ordered<File>(files: readonly File[], isLong: (file: File) => boolean, seed: number): File[] {
  const mixed = shuffled(files, seed)
  return [...mixed.filter(isLong), ...mixed.filter((file) => !isLong(file))]
}

class AnyOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    this.ctx.logger.log(`      The order of the files is that of TEST_SEED=${sequence.seed}`)
    return ordered(files, ({ moduleId }) => longFiles.some((file) => moduleId === `${root}/${file}`), sequence.seed)
  }
}

/**
 * Files of tests run in another order each time, so that none can come to need another. The seed is printed as a run
 * begins; `TEST_SEED=<seed>` repeats its order.
 */
export const anyOrder = { sequencer: AnyOrder, seed: Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000) }
