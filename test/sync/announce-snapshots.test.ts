import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { announceSnapshots } from '../../src/sync/announce-snapshots.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** @param takesMs - how long it takes to tell one */
function told(takesMs = 0): { readonly change: () => void; readonly times: number[]; readonly show: () => void } {
  let change: (what: 'sync' | 'presence') => void = () => undefined
  const times: number[] = []
  const sync = {
    status: () => ({}),
    sessions: () => [],
    states: () => ({}),
    subscribe: (listener: typeof change) => ((change = listener), () => undefined),
  } as unknown as Sync
  const show = announceSnapshots(sync, () => {
    times.push(performance.now())
    vi.advanceTimersByTime(takesMs)
  })
  return { change: () => change('sync'), times, show }
}

it('tells a change after a time of quiet at once, and those that go on less and less often', () => {
  const { change, times } = told()
  const start = performance.now()
  for (let ms = 0; ms < 1000; ms++) {
    change()
    vi.advanceTimersByTime(1)
  }
  const waits = times.map((time, i) => time - (times[i - 1] ?? start))
  expect(waits.slice(0, 8)).toEqual([0, 5, 10, 20, 40, 80, 100, 100].map((wait) => expect.closeTo(wait, 0)))
  vi.advanceTimersByTime(300)
  const later = performance.now()
  change()
  vi.advanceTimersByTime(0)
  expect(times.at(-1)).toBe(later)
})

it('tells the last of what changed, and nothing where nothing does', () => {
  const { change, times, show } = told()
  change()
  change()
  vi.advanceTimersByTime(1000)
  expect(times.length).toBe(1)
  change()
  show()
  vi.advanceTimersByTime(1000)
  expect(times.length).toBe(2)
})

it('tells a state that takes long to tell less often, but every second', () => {
  for (const [takesMs, wait] of [
    [20, 400],
    [200, 1000],
  ] as const) {
    const { change, times } = told(takesMs)
    for (let ms = 0; ms < 5000; ms++) {
      change()
      vi.advanceTimersByTime(1)
    }
    const waits = times.slice(1).map((time, i) => time - times[i]!)
    expect(waits).toEqual(waits.map(() => expect.closeTo(wait, 0)))
    expect(waits.length).toBeGreaterThan(3)
  }
})
