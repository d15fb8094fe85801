import { describe, expect, it } from 'vitest'
import { isWholeRun, joinRuns, wholeRun } from '../../bench/scale/joined-runs.ts'
import { judgeRow } from '../../bench/scale/judge.ts'
import type { Call, Extreme, Measured, ScaleRun } from '../../bench/scale/measured.ts'
import { scaleReport } from '../../bench/scale/scale-report.ts'

const call = (ms: number, isCold = false): Call => ({ ms, isCold, longestTask: 0, from: 0, to: 0 })
const measured = (
  row: string,
  messages: number,
  times: readonly Call[],
  axis: Measured['axis'] = 'messages',
): Measured => ({ row, axis, messages: 'flat', sessions: 'flat', calls: times, ground: { messages, sessions: 1000 } })
const extreme = (name: string, busy: number, more: Partial<Extreme> = {}): Extreme => ({
  name,
  ms: 1,
  longestTask: busy,
  busy,
  ...more,
})
const run = (more: Partial<ScaleRun> = {}): ScaleRun => ({
  ...wholeRun,
  reps: 7,
  minutes: 1,
  measured: [],
  extremes: [],
  unmeasured: [],
  ...more,
})

describe('runs of the scale rig', () => {
  it('stand in one table where one goes on with what another has left', () => {
    const [first, second] = [measured('a', 1000, [call(1)]), measured('b', 1000, [call(1)])]
    expect(
      joinRuns(
        run({ measured: [first], unmeasured: ['x'] }),
        run({ measured: [second], unmeasured: ['x'], extremes: [extreme('e: one', 0)] }),
      ),
    ).toEqual(run({ minutes: 2, measured: [first, second], unmeasured: ['x'], extremes: [extreme('e: one', 0)] }))
  })

  it('are not joined where they were made otherwise', () => {
    expect(() => joinRuns(run({ reps: 3 }), run())).toThrow(/--reps 3, and this one is with .*--reps 7/)
    expect(() => joinRuns(run({ sizes: [1000] }), run())).toThrow(/--sizes 1000 /)
  })

  it('are whole only with every row along both axes, and every extreme', () => {
    const rows = [measured('a', 1000, [call(1)]), measured('a', 1000, [call(1)], 'sessions')]
    const whole = run({ measured: rows, extremes: [extreme('tabs: one', 0)] })
    expect(isWholeRun(whole, ['a'], ['tabs'])).toBe(true)
    expect(isWholeRun(whole, ['a', 'b'], ['tabs'])).toBe(false)
    expect(isWholeRun({ ...whole, measured: rows.slice(0, 1) }, ['a'], ['tabs'])).toBe(false)
    expect(isWholeRun(whole, ['a'], ['tabs', 'branches'])).toBe(false)
    expect(isWholeRun({ ...whole, sizes: [1000] }, ['a'], ['tabs'])).toBe(false)
  })
})

describe('the verdict of the scale rig', () => {
  it('has the ratio of the two figures beside it', () => {
    const [small, large] = [
      [call(8, true), call(9, true), call(2)],
      [call(7, true), call(8, true), call(6.4)],
    ]
    expect(judgeRow([measured('a', 1000, small), measured('a', 1_000_000, large)], 'messages').ratio).toBeCloseTo(7 / 8)
  })

  it('says which kind of call grows where the others hide it', () => {
    const [small, large] = [
      [call(50, true), call(50, true), call(50, true), call(2)],
      [call(50, true), call(50, true), call(50, true), call(20)],
    ]
    expect(judgeRow([measured('a', 1000, small), measured('a', 1_000_000, large)], 'messages').findings).toEqual([
      'grows: 10.0× from the smallest to the largest where it was in use (at most 1.5×)',
    ])
  })

  it('blames a page for what it was at work itself, and not for what it waited for the processor or must copy', () => {
    const extremes = [
      extreme('a', 51),
      extreme('b', 2, { longestTask: 186 }),
      extreme('c', 90, { isWhole: 'the text is copied out of the page' }),
      extreme('d', 1, { error: 'Error: no' }),
    ]
    expect(scaleReport({ measured: [], extremes, unmeasured: ['S.x'], words: '' }).findings).toEqual([
      'S.x: no row measures it',
      'a: keeps the page busy for 51 ms',
      'd: fails: Error: no',
    ])
  })
})
