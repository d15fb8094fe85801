import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { isFull, patience, report } from '../../model/support/laws.ts'
import { buildMutant, countSnippet, type Mutation } from '../../model/support/mutant.ts'
import type * as SumsRun from './support/sums-run.ts'

const run = 'test/storage/engine/support/sums-run.ts'

const steps: fc.Arbitrary<readonly SumsRun.SumStep[]> = fc.array(
  fc.tuple(fc.nat(1), fc.nat(99), fc.nat(9), fc.nat(19)),
  { minLength: 1, maxLength: 24, size: 'max' },
)

/** One line written wrongly. A quick run has time for four; those that show soonest come first. */
const faults: readonly (readonly [string, Mutation])[] = [
  [
    'keeps blocks that something fell into',
    { file: 'storage/engine/sums/settle-sums.ts', from: 'block = change(block)', to: '' },
  ],
  [
    'leaves an edit out of a sum',
    { file: 'domain/keep-sums.ts', from: 'hot.open = editRow(hot.open, before, after)', to: 'return' },
  ],
  [
    'takes a block for hidden when a cut had seen some of it',
    {
      file: 'domain/judge-block.ts',
      from: "if (seen === 'all' && cut.order >= last) return true",
      to: 'if (cut.order >= last) return true',
    },
  ],
  [
    'keeps sums of what was erased',
    { file: 'domain/keep-sums.ts', from: 'work.hot.sums = nextSums(work.hot)', to: '' },
  ],
  [
    'takes a block for hidden of which a cut ends inside',
    { file: 'domain/judge-block.ts', from: ' && cut.order >= last) return true', to: ') return true' },
  ],
  [
    'keeps larger blocks that something fell into',
    {
      file: 'storage/engine/sums/settle-sums.ts',
      from: 'for (const level of [0, 1] as const)',
      to: 'for (const level of [0] as const)',
    },
  ],
  ['knows a tail behind what it passed over', { file: 'domain/review.ts', from: 'isKnown = false', to: '' }],
  [
    'goes on from a mark although a row came in before it',
    {
      file: 'storage/engine/reading/seen-marks.ts',
      from: 'new Map(inserted)',
      to: "new Map([...inserted].map(([branch]) => [branch, '~~']))",
    },
  ],
  [
    'goes on from a mark although a row came in before a fork',
    { file: 'storage/engine/reading/seen-marks.ts', from: ' > fork.order) continue', to: " > '') continue" },
  ],
  [
    'takes a block for visible whose turn a cut had seen',
    { file: 'domain/judge-block.ts', from: ' || (wholeTurns && hasSeenTurn(cut.vv, block))', to: '' },
  ],
  [
    'goes on from a mark of a line that was cut otherwise',
    { file: 'storage/engine/reading/seen-marks.ts', from: ' && mark.place === place', to: '' },
  ],
  [
    'goes on from a mark that counted what a restored line leaves out',
    {
      file: 'storage/engine/reading/seen-reader.ts',
      from: '(seen.length === 0 || (await hasSeenAll(backend, rows, branch, mark.order, seen)))',
      to: 'true',
    },
  ],
  [
    'passes over the block with the first question',
    {
      file: 'domain/review.ts',
      from: 'needsRows: (block, shown) => shown.transcript && block.questions > 0',
      to: 'needsRows: (block, shown) => shown.transcript && block.questions < 0',
    },
  ],
]

describe('what is known of a line without reading it', { timeout: patience }, () => {
  let sumProblems: typeof SumsRun.sumProblems

  beforeAll(async () => {
    // As it is: a copy, because its blocks are smaller.
    ;({ sumProblems } = await buildMutant<typeof SumsRun>(
      { file: 'domain/block-size.ts', from: 'rows: 256', to: 'rows: 3' },
      run,
    ))
  })

  it('is what its rows say, whatever two devices do', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => void expect(await sumProblems(taken)).toEqual([])),
      { numRuns: isFull ? 20_000 : 80 },
    )
  })

  it.each(faults)('knows the line where the code %s when it is written wrongly', (_, { file, from }) => {
    expect(countSnippet({ file, from })).toBe(1)
  })

  it.each(faults.slice(0, isFull ? faults.length : 4))(
    'would be found wrong where the code %s',
    async (fault, mutation) => {
      const mutant = await buildMutant<typeof SumsRun>(mutation, run)
      const result = await fc.check(
        fc.asyncProperty(steps, async (taken) => (await mutant.sumProblems(taken)).length === 0),
        { numRuns: isFull ? 20_000 : 600, endOnFailure: true, ...(isFull ? {} : { seed: 1 }) },
      )
      report(fault, { runs: result.numRuns })
      expect(result.failed, `${result.numRuns} runs with seed ${result.seed} did not show the fault`).toBe(true)
    },
  )
})
