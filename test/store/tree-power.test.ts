import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFull, patience, report } from '../model/support/laws.ts'
import type { Mutation } from '../model/support/mutant.ts'
import { buildMutant } from '../model/support/mutant.ts'
import type { treeLaws } from './support/tree-laws.ts'
import type * as TreeRun from './support/tree-run.ts'
import { treeProblems } from './support/tree-run.ts'
import { treeSteps } from './support/tree-world.ts'

type Law = keyof typeof treeLaws

/** One faulty line for each law, and the law that must find it. A quick run has time for four. */
const faults: readonly (readonly [string, Law, Mutation])[] = [
  [
    'lets a cut hide what came after it',
    'shows every entry on at least one line, unless it was cut, removed, or is on a deleted branch',
    { file: 'domain/line.ts', from: 'if (entry.order > cut.order) return false', to: '' },
  ],
  [
    'shows on a restored line what came after the checkpoint, and cuts',
    'shows the same history each time a checkpoint is restored, and what that saw',
    { file: 'storage/engine/branches/branches.ts', from: ', vv: row.vv, cuts: row.clock }', to: ' }' },
  ],
  [
    'takes every branch for a part of the line it leaves',
    'is not changed by switching back and forth',
    { file: 'domain/move-head.ts', from: '!showsAlike(work.line, from, work.line.segments.length - 1)', to: 'false' },
  ],
  [
    'shows the whole parent on a branch',
    'knows its forks',
    {
      file: 'domain/line.ts',
      from: 'upTo: earlier(earlier(order, left.opener), gate.upTo)',
      to: 'upTo: earlier(left.opener, gate.upTo)',
    },
  ],
  [
    'forgets the first message when it copies',
    'gets from a merged branch what it lacked, once',
    {
      file: 'client/branches/merge-branch.ts',
      from: 'if (batch.length > 0) yield batch',
      to: 'if (batch.length > 0) yield batch.slice(1)',
    },
  ],
  [
    'seals entries with a checksum of something else',
    'has checksums that verify',
    { file: 'domain/writer.ts', from: 'sealEntry(base, plannedEntry.crc)', to: 'sealEntry(base, 1)' },
  ],
  [
    'writes to a branch that nobody opened',
    'has every entry on exactly one branch',
    {
      file: 'domain/writer.ts',
      from: 's: nextSequence(work, w), branch, type, data, at, clock }\n  const handle',
      to: 's: nextSequence(work, w), branch: branch && `${branch}0`, type, data, at, clock }\n  const handle',
    },
  ],
  [
    'reclaims what only a branch shows',
    'loses nothing that a line shows when space is reclaimed',
    {
      file: 'domain/purge.ts',
      from: 'lines.some((line) => shows(line, row))',
      to: 'lines.slice(0, 1).some((line) => shows(line, row))',
    },
  ],
]

describe('the laws of trees', { timeout: patience }, () => {
  it.each(faults.slice(0, isFull ? faults.length : 4))('find a store that %s', async (fault, law, mutation) => {
    const mutant = await buildMutant<typeof TreeRun>(mutation, 'test/store/support/tree-run.ts')
    const result = await fc.check(
      fc.asyncProperty(treeSteps, async (steps) => (await mutant.treeProblems(law, steps)).length === 0),
      { numRuns: isFull ? 2_000 : 1_200, endOnFailure: true, ...(isFull ? {} : { seed: 1 }) },
    )
    report(fault, { runs: result.numRuns })
    expect(result.failed, `${result.numRuns} runs with seed ${result.seed} did not show the fault`).toBe(true)
  })

  it('find nothing wrong with the code as it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        treeSteps,
        async (steps) => void expect(await treeProblems('knows its forks', steps)).toEqual([]),
      ),
      { numRuns: 5 },
    )
  })
})
