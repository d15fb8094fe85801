import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { entryId } from '../../src/domain/address.ts'
import { foldEntries } from '../../src/domain/fold.ts'
import { judgeEdits } from '../../src/domain/judge-edits.ts'
import { judgePurge } from '../../src/domain/purge.ts'
import { type OpenEntry, sealEntry } from '../../src/domain/seal.ts'

type Step = (log: readonly Entry[]) => Partial<OpenEntry> & Pick<OpenEntry, 'type' | 'data'>

/** A log of the writer `1`, if a step names no other one. Each step is later than those before. */
function build(...steps: readonly Step[]): Entry[] {
  return steps.reduce<Entry[]>((log, step) => {
    const { w = 1, ...given } = step(log)
    const s = log.filter((entry) => entry.w === w).length
    return [...log, sealEntry({ w, s, branch: '', at: 1, clock: { hp: 1 + log.length, hc: 0 }, ...given })]
  }, [])
}

const says: Step = () => ({ type: 'message', data: { message: { role: 'user', content: 'x' } } })
const edits =
  (at: number, content: string | null = 'y', w = 1): Step =>
  (log) => ({
    w,
    type: 'edit',
    data: {
      branch: '',
      order: log[at]!.order,
      value: content === null ? null : { message: { role: 'user', content } },
    },
  })
const saves: Step = (log) => ({ type: 'checkpoint', data: { branch: '', order: '~', vv: { 1: log.length } } })
const clears: Step = (log) => ({ type: 'cut', data: { order: '~', vv: { 1: log.length } } })

/** The edits of a log that nothing shows, and the pending ones among them. @param isHere - what came here */
function judged(log: readonly Entry[], isHere: (entry: Entry) => boolean = () => true) {
  const here = log.filter(isHere)
  const { cold } = foldEntries(here)
  const found: string[] = []
  const judge = judgeEdits(
    cold,
    (edit: Entry) => edit,
    ({ w, s }) => void found.push(entryId(w, s)),
  )
  for (const entry of here) judge.control(entry)
  const rows = here.filter(({ type }) => type === 'message')
  const judgeRow = judgePurge<(typeof rows)[number]>(cold, judge.gone)
  for (const row of rows) {
    judge.row(row)
    const last = here.findLast(({ type, data }) => type === 'edit' && data['order'] === row.order)
    judgeRow({ ...row, ...(last && { edit: { order: '', id: '', value: last.data['value'] as null } }) })
  }
  const over = judge.finish()
  return { found: found.sort(), over }
}

describe('edits that nothing shows', () => {
  it('are those that a later one replaced', () => {
    expect(judged(build(says, says, edits(0), edits(1), edits(0), edits(0))).found).toEqual(['1.2', '1.4'])
  })

  it('are all of a row that was removed, or that a cut hides', () => {
    expect(judged(build(says, says, edits(0), edits(1), edits(0, null))).found).toEqual(['1.2', '1.4'])
    expect(judged(build(says, edits(0), clears)).found).toEqual(['1.1'])
  })

  it('are not those that a checkpoint saw last', () => {
    const log = [says, edits(0), edits(0), saves, edits(0), saves, edits(0), edits(0)]
    expect(judged(build(...log)).found).toEqual(['1.1', '1.6'])
  })

  it('are those that a checkpoint saw, once it is deleted', () => {
    const deletes: Step = () => ({ type: 'meta', data: { set: { deleted: true }, target: { checkpoint: '1.2' } } })
    expect(judged(build(says, edits(0), saves, edits(0), deletes)).found).toEqual(['1.1'])
  })

  it('are those of rows that can not come any more, because their author wrote on', () => {
    const log = build(says, says, edits(0, 'y', 2))
    const purged: Entry[] = [
      ...log,
      sealEntry({
        w: 3,
        s: 0,
        branch: '',
        type: 'purge',
        data: { ranges: { 1: [[0, 1]] } },
        at: 1,
        clock: { hp: 9, hc: 0 },
      }),
    ]
    const isGone = ({ w, s }: Entry): boolean => w === 1 && s === 0
    expect(judged(purged, (entry) => !isGone(entry))).toEqual({ found: ['2.0'], over: [` ${log[0]!.order}`] })
  })

  it('are not those of rows that may still come', () => {
    const log = build(says, says, edits(0, 'y', 2), edits(1, 'y', 2))
    expect(judged(log, ({ w }) => w === 2)).toEqual({ found: [], over: [] })
    expect(judged(log, ({ w, s }) => w === 2 || s === 0)).toEqual({ found: [], over: [] })
  })
})
