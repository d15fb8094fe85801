import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFailedSessions, type FailedSessions } from '../../src/sync/failed-sessions.ts'

let due: string[][]
let sessions: FailedSessions

beforeEach(() => {
  vi.useFakeTimers()
  due = []
  sessions = createFailedSessions({
    retry: { first: 100, longest: 800, random: () => 1 },
    onRetry: (keys) => void due.push([...keys]),
  })
})
afterEach(() => vi.useRealTimers())

it('are tried again later each time, up to the longest wait', () => {
  const waits: number[] = []
  for (let round = 0; round < 6; round++) {
    sessions.failed('a')
    const from = Date.now()
    vi.advanceTimersToNextTimer()
    waits.push(Date.now() - from)
  }
  expect(waits).toEqual([100, 200, 400, 800, 800, 800])
  expect(due).toEqual(Array.from({ length: 6 }, () => ['a']))
})

it('are tried a few at a time, each in its turn, and all at once when one comes through', () => {
  const all = Array.from({ length: 10 }, (_, n) => `s${n}`)
  for (const key of all) sessions.failed(key)
  vi.advanceTimersToNextTimer()
  for (const key of due[0]!) sessions.failed(key)
  vi.advanceTimersToNextTimer()
  expect(due).toEqual([all.slice(0, 4), all.slice(4, 8)])
  sessions.succeeded('s4')
  expect(due[2]).toEqual(['s8', 's9', 's0', 's1', 's2', 's3'])
  expect(vi.getTimerCount()).toBe(0)
})

it('wait as long as before though others, which never failed, come through', () => {
  sessions.failed('a')
  vi.advanceTimersToNextTimer()
  sessions.failed('a')
  sessions.succeeded('b')
  vi.advanceTimersByTime(199)
  expect([due.length, sessions.has('a')]).toEqual([1, true])
  vi.advanceTimersByTime(1)
  expect([due.length, sessions.has('a')]).toEqual([2, false])
})

it('are forgotten with the connection', () => {
  sessions.failed('a')
  sessions.clear()
  expect([sessions.has('a'), vi.getTimerCount()]).toEqual([false, 0])
})
