import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  firstPauseMs,
  initialRecovery,
  longestPauseMs,
  moveRecovery,
  type RecoveryEvent,
  type RecoveryState,
} from '../../src/client/recovery/recovery-state.ts'
import { SessionError } from '../../src/contract/errors.ts'

const ways = 2
const later = 1_000_000
const error = new SessionError('DataLoss', 'wiped')

/** Everything that can come, at a time. */
const events = (now: number): readonly RecoveryEvent[] => [
  { type: 'lost', why: undefined, now, ways },
  { type: 'lost', why: 'server lost', now, ways },
  { type: 'opened', now },
  { type: 'opened', now, way: 1 },
  { type: 'wayFailed', message: 'no way', ways },
  { type: 'gaveUp' },
  { type: 'roomChecked', isFull: false, now },
  { type: 'roomChecked', isFull: true, now },
  { type: 'lookDue' },
  { type: 'called', now },
  { type: 'notFound', isFull: false, now },
  { type: 'taken' },
  { type: 'wiped', error },
  { type: 'closed' },
]

/** Every state that can be reached, with the moves between them. */
function explore(): { readonly states: readonly RecoveryState[]; readonly moves: ReadonlySet<string> } {
  const seen = new Map<string, RecoveryState>()
  const moves = new Set<string>()
  const left: RecoveryState[] = [initialRecovery()]
  for (let state = left.pop(); state !== undefined; state = left.pop()) {
    if (seen.has(keyOf(state))) continue
    seen.set(keyOf(state), state)
    for (const now of [0, 1, later])
      for (const event of events(now)) {
        const next = moveRecovery(state, event)
        if (next.at !== state.at) moves.add(`${state.at} --> ${next.at}`)
        left.push(next)
      }
  }
  return { states: [...seen.values()], moves }
}
const keyOf = (state: RecoveryState): string => JSON.stringify(state)

const move = (state: RecoveryState, ...then: readonly RecoveryEvent[]): RecoveryState =>
  then.reduce(moveRecovery, state)
const lost = (now: number, why: string | undefined = 'server lost'): RecoveryEvent => ({ type: 'lost', why, now, ways })
const died = (now: number): RecoveryEvent => ({ type: 'lost', why: undefined, now, ways })
const failed: RecoveryEvent = { type: 'wayFailed', message: 'no way', ways }
const held = (now: number): readonly RecoveryEvent[] => [
  died(now),
  failed,
  failed,
  { type: 'roomChecked', isFull: false, now },
]

it('has exactly the moves that its diagram has', () => {
  const [, diagram] = /<!-- recovery -->\n```mermaid\nstateDiagram-v2\n([^`]*)```/.exec(
    readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8'),
  )!
  const drawn = diagram!
    .split('\n')
    .flatMap((line) => /^ *(\w+ --> \w+)/.exec(line)?.[1] ?? [])
    .sort()
  expect([...explore().moves].sort()).toEqual(drawn)
})

it('leaves no state without a way out, and none that is closed', () => {
  for (const state of explore().states) {
    const next = events(later).map((event) => moveRecovery(state, event))
    expect(next.some(({ at }) => at === 'closed')).toBe(true)
    if (state.at === 'closed') expect(next.every((one) => one === state)).toBe(true)
  }
})

it('never tries a way that there is not', () => {
  for (const { way } of explore().states) expect(way).toBeLessThan(ways)
})

it('replaces a dead worker in the way that worked last, and takes the next way if that did not last', () => {
  const open = move(initialRecovery(), lost(0), { type: 'opened', now: 10 })
  expect(move(open, died(20))).toMatchObject({ at: 'reopening', way: 0 })
  expect(move(open, lost(20))).toMatchObject({ at: 'reopening', way: 1 })
  expect(move(open, lost(10_000))).toMatchObject({ at: 'reopening', way: 0 })
  const framed = move(open, lost(20), { type: 'opened', now: 30 })
  expect(move(framed, lost(40))).toMatchObject({ at: 'exhausted', why: 'server lost' })
})

it('says why the database was lost by the first error', () => {
  expect(move(initialRecovery(), lost(0), failed, failed)).toMatchObject({ at: 'exhausted', why: 'server lost' })
  expect(move(initialRecovery(), lost(0, ''), failed, failed)).toMatchObject({ at: 'exhausted', why: 'no way' })
})

it('waits longer and longer between attempts, also for a database that comes and goes', () => {
  let state = move(initialRecovery(), ...held(0))
  const pauses = [state.pauseMs]
  for (let i = 0; i < 6; i++) {
    state = move(state, { type: 'lookDue' }, { type: 'notFound', isFull: false, now: i })
    pauses.push(state.pauseMs)
  }
  expect(pauses).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  const back = move(initialRecovery(), ...held(0), { type: 'lookDue' }, { type: 'opened', now: 1 }, { type: 'taken' })
  expect(move(back, ...held(2)).pauseMs).toBe(firstPauseMs * 2)
  expect(move(back, ...held(longestPauseMs * 2 + 1)).pauseMs).toBe(firstPauseMs)
})

it('makes an attempt for a caller only when the last one is some time ago', () => {
  const memory = move(initialRecovery(), ...held(0))
  expect(move(memory, { type: 'called', now: firstPauseMs })).toBe(memory)
  expect(move(memory, { type: 'called', now: firstPauseMs + 1 }).at).toBe('looking')
})
