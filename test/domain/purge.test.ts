import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { foldEntries } from '../../src/domain/fold.ts'
import { createPurgePlanner } from '../../src/domain/purge.ts'
import type { OpenEntry } from '../../src/domain/seal.ts'
import { sealEntry } from '../../src/domain/seal.ts'

/** The next entry of the only writer, whose key is `1`. */
function next(log: readonly Entry[], type: string, data: OpenEntry['data'], branch = ''): Entry {
  return sealEntry({ w: 1, s: log.length, branch, type, data, at: 1, clock: { hp: 1 + log.length, hc: 0 } })
}

function build(...steps: readonly ((log: readonly Entry[]) => Entry)[]): Entry[] {
  return steps.reduce<Entry[]>((log, step) => [...log, step(log)], [])
}

const says =
  (branch = '') =>
  (log: readonly Entry[]): Entry =>
    next(log, 'message', { message: { role: 'user', content: `${log.length}` } }, branch)
const state =
  (type: string) =>
  (log: readonly Entry[]): Entry =>
    next(log, type, {})
const clears = (log: readonly Entry[]): Entry => next(log, 'cut', { order: '~', vv: { 1: log.length } })
const forks =
  (at: number) =>
  (log: readonly Entry[]): Entry =>
    next(log, 'branch', { fork: { branch: '', order: log[at]!.order }, head: true })
const saves = (log: readonly Entry[]): Entry =>
  next(log, 'checkpoint', { branch: '', order: log.at(-1)!.order, vv: { 1: log.length } })
const removes =
  (at: number) =>
  (log: readonly Entry[]): Entry =>
    next(log, 'edit', { branch: '', order: log[at]!.order, value: null })
const deletes =
  (target: { branch?: string; checkpoint?: string }) =>
  (log: readonly Entry[]): Entry =>
    next(log, 'meta', { set: { deleted: true }, target })
const purges =
  (from: number, to: number) =>
  (log: readonly Entry[]): Entry =>
    next(log, 'purge', { ranges: { 1: [[from, to]] } })
const compacts = (log: readonly Entry[]): Entry =>
  next(log, 'compaction', { order: '~', vv: { 1: log.length }, summary: '' })

function plan(log: readonly Entry[]): ReturnType<ReturnType<typeof createPurgePlanner>['plan']> {
  const { cold, rows } = foldEntries(log)
  const planner = createPurgePlanner(cold)
  for (const row of rows) planner.add(row)
  return planner.plan()
}

describe('a purge plan', () => {
  it('takes nothing of a line that was never cut', () => {
    expect(plan(build(says(), says(), compacts))).toEqual({ ranges: {}, rows: [] })
  })

  it('takes what a cut hides, as ranges and as places', () => {
    const log = build(says(), says(), clears, says())
    expect(plan(log)).toEqual({
      ranges: { 1: [[0, 2]] },
      rows: log.slice(0, 2).map(({ branch, order }) => ({ branch, order })),
    })
  })

  it('takes what was removed', () => {
    expect(plan(build(says(), says(), says(), removes(1))).ranges).toEqual({ 1: [[1, 2]] })
  })

  it('keeps what another line shows, until that is deleted', () => {
    const log = build(says(), says(), forks(0), says('1.2'), clears)
    expect(plan(log).ranges).toEqual({ 1: [[1, 2]] })
    expect(plan([...log, deletes({ branch: '1.2' })(log)]).ranges).toEqual({
      1: [
        [0, 2],
        [3, 4],
      ],
    })
  })

  it('keeps what a checkpoint saw, until that is deleted', () => {
    const log = build(says(), saves, says(), clears)
    expect(plan(log).ranges).toEqual({ 1: [[2, 3]] })
    expect(plan([...log, deletes({ checkpoint: '1.1' })(log)]).ranges).toEqual({
      1: [
        [0, 1],
        [2, 3],
      ],
    })
  })

  it('keeps rows of branches it does not know', () => {
    expect(plan(build(says('7.0'), says(), clears)).ranges).toEqual({ 1: [[1, 2]] })
  })

  it('keeps what a checkpoint on a branch it does not know had seen', () => {
    const log = build(
      says(),
      (before) => next(before, 'checkpoint', { branch: '7.0', order: '~', vv: { 1: 1 } }),
      says(),
      clears,
    )
    expect(plan(log).ranges).toEqual({ 1: [[2, 3]] })
  })

  it('keeps the last model and thinking level of a line', () => {
    const log = build(
      state('model_change'),
      state('model_change'),
      state('thinking_level_change'),
      state('custom'),
      clears,
    )
    expect(plan(log).ranges).toEqual({
      1: [
        [0, 1],
        [3, 4],
      ],
    })
  })

  it('erases what was purged before, without saying so again', () => {
    const log = build(says(), says(), clears, purges(0, 1))
    const { cold } = foldEntries(log)
    const planner = createPurgePlanner(cold)
    for (const entry of log.slice(0, 2)) planner.add(entry)
    expect(planner.plan()).toEqual({
      ranges: { 1: [[1, 2]] },
      rows: [log[1], log[0]].map((entry) => ({ branch: '', order: entry!.order })),
    })
  })
})
