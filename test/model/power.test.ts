import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFull, patience, report } from './support/laws.ts'
import type { Mutation } from './support/mutant.ts'
import { countSnippet, loadMutant } from './support/mutant.ts'
import { firstDifference } from './support/one-run.ts'
import { schedules } from './support/schedules.ts'

/** Runs in which each fault must show; always the same ones in a quick run. */
const runs = { numRuns: isFull ? 5000 : 400, endOnFailure: true, ...(isFull ? {} : { seed: 1 }) }

/** Those that show soonest come first; a quick run has time for eight. */
const mutations: readonly (readonly [string, Mutation])[] = [
  [
    'lets an older edit win',
    { file: 'arrive.ts', from: 'target.edit !== undefined && target.edit.order >= mark.order', to: 'false' },
  ],
  [
    'takes every cut for one that saw everything',
    {
      file: 'arrive-control.ts',
      from: 'hideRows(work, cut, includesVector(cut.vv, known), false)',
      to: 'hideRows(work, cut, true, false)',
    },
  ],
  [
    'loses track of what is newer than the head',
    { file: 'arrive.ts', from: "if (entry.order > (heads[hot.head] ?? ''))", to: 'if (entry.order > hot.lineEnd)' },
  ],
  [
    'takes the tail from the last row that came',
    {
      file: 'arrive.ts',
      from: 'endsLine && row.turn === undefined : row.order > hot.tail.order',
      to: 'endsLine && row.turn === undefined : true',
    },
  ],
  ['counts a row that a cut hides', { file: 'arrive.ts', from: 'if (isCut(line, segment, entry)) return row', to: '' }],
  [
    'forgets an edit that came before its target',
    {
      file: 'arrive.ts',
      from: 'const edit = takePending(work, entry)',
      to: 'const edit = undefined as EditMark | undefined',
    },
  ],
  [
    'does not remember a late row',
    { file: 'view-state.ts', from: '? { ...counted, late }\n    :', to: '? counted\n    :' },
  ],
  [
    'takes every branch for a part of the line it leaves',
    { file: 'move-head.ts', from: '!showsAlike(work.line, from, work.line.segments.length - 1)', to: 'false' },
  ],
  [
    'lets a later compaction only ever hide more',
    { file: 'arrive-control.ts', from: ' && (before === undefined || before.order <= cut.order)', to: '' },
  ],
  [
    'keeps the floor when late rows are left below it',
    { file: 'arrive-control.ts', from: 'if (late.length > 0) rescan(work, true)\n  else', to: '' },
  ],
  [
    'takes every opener for a new one',
    { file: 'arrive-control.ts', from: 'isNewest ? entry.order : undefined, target', to: 'entry.order, target' },
  ],
  [
    'takes lines for alike that were restored from different checkpoints',
    {
      file: 'shows-alike.ts',
      from: 'isEqual(seen, b.segments[i].seen)',
      to: 'seen.length === b.segments[i].seen.length',
    },
  ],
  [
    'ignores rows that come while a review is due',
    { file: 'arrive.ts', from: 'hasCopy || isUnsettled(work, row)', to: 'hasCopy' },
  ],
  [
    'does not follow the head when its branch is deleted',
    { file: 'arrive-control.ts', from: 'return moveHead(work, cold, undefined)', to: 'return' },
  ],
  [
    'does not count again after a purge',
    { file: 'arrive-control.ts', from: 'return rescan(work)\n  }\n}', to: 'return\n  }\n}' },
  ],
  [
    'subtracts rows that were never visible',
    { file: 'review.ts', from: 'if (shown.transcript) hot.transcript = countRow', to: 'hot.transcript = countRow' },
  ],
  [
    'leaves the floor above the end of the line',
    { file: 'review.ts', from: 'hot.context = lowerFloor(hot.context, after)', to: '' },
  ],
  [
    'drops the floor only and not the late rows above it',
    {
      file: 'view-state.ts',
      from: 'floor: late[lateLimit - 1]!, late: late.slice(0, lateLimit)',
      to: 'floor: late[lateLimit - 1]!, late',
    },
  ],
  [
    'moves the head to a line that does not resolve',
    { file: 'line.ts', from: 'if (resolveChain(cold, head) !== undefined) return head', to: 'return head' },
  ],
  [
    'counts a compacted row for the context',
    { file: 'arrive.ts', from: 'if (!isCompacted(line, segment, entry)) hot.context', to: 'hot.context' },
  ],
  [
    'shows every copy of an imported row',
    { file: 'arrive.ts', from: 'if (hasCopy) changeCold(work, { hasCopies: true })', to: '' },
  ],
  [
    'counts copies only when they come',
    { file: 'arrive-control.ts', from: ' || hasCopiesAfter(work.cold, floor)', to: '' },
  ],
  [
    'lets a cut speak for copies it had not seen',
    { file: 'shown-among.ts', from: 'all.filter((row) => !isCutAway(line, row, all))', to: 'all' },
  ],
  [
    'keeps the title of a message that was removed',
    { file: 'arrive.ts', from: 'if (gaveTitle && hot.auto === undefined) rescan(work, true)', to: '' },
  ],
  [
    'keeps the title of a line that the head left',
    { file: 'move-head.ts', from: 'hot.auto.order > fork.order', to: 'false' },
  ],
  [
    'tells a branch of what never happened there',
    { file: 'line.ts', from: 'earlier(cut.order, cut.clock) <= segment.whole', to: 'true' },
  ],
  [
    'shows a row that an edit removes',
    { file: 'arrive.ts', from: 'if (mark.value !== null) hot[view]', to: 'hot[view]' },
  ],
]

describe('the comparison with the fold', { timeout: patience }, () => {
  it('finds nothing wrong with the code as it is', () => {
    fc.assert(
      fc.property(schedules(120), (schedule) => void expect(firstDifference(schedule)).toEqual([])),
      { ...runs, numRuns: 5 },
    )
  })

  it.each(mutations)('knows the line that %s when it is written wrongly', (_, { file, from }) => {
    expect(countSnippet({ file: `domain/${file}`, from })).toBe(1)
  })

  it.each(mutations.slice(0, isFull ? mutations.length : 8))('finds code that %s', async (fault, mutation) => {
    const mutant = await loadMutant(mutation)
    const result = fc.check(
      fc.property(schedules(120), (schedule) => mutant.firstDifference(schedule).length === 0),
      runs,
    )
    report(fault, { runs: result.numRuns })
    expect(result.failed, `${result.numRuns} runs with seed ${result.seed} did not show the fault`).toBe(true)
  })
})
