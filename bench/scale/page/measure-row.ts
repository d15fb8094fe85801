import type { Ground } from '../ground.ts'
import type { Call } from '../measured.ts'
import type { NamedRow, Watch } from '../row.ts'

/** Runs a row once on a ground. @throws what the call throws */
export async function measureRow(
  row: NamedRow,
  ground: Ground,
  isCold: boolean,
  watch: Watch,
  beforeCall: () => Promise<unknown>,
): Promise<Call> {
  const prepared = await row.prepare?.(ground)
  let result: unknown
  try {
    await beforeCall()
    const tasks = observeTasks()
    const from = Date.now()
    const start = performance.now()
    result = await row.run(ground, prepared, watch)
    const ms = performance.now() - start
    return { ms, isCold, from, to: Date.now(), longestTask: await tasks.end() }
  } finally {
    await row.tidy?.(ground, prepared, result)
  }
}

/** Runs a row that takes a signal, and fires that. @returns how it ended, and how long after the signal */
export async function measureStop(
  row: NamedRow,
  ground: Ground,
): Promise<{ readonly outcome: string; readonly ms: number }> {
  const prepared = await row.prepare?.(ground)
  const stop = new AbortController()
  let stoppedAt = 0
  const fire = (): void => {
    stoppedAt = performance.now()
    stop.abort()
  }
  const timer = setTimeout(fire, 30)
  let result: unknown
  try {
    result = await row.run(ground, prepared, { signal: stop.signal, told: () => undefined })
    return { outcome: 'was done before', ms: 0 }
  } catch (error) {
    return { outcome: (error as Error).name, ms: performance.now() - stoppedAt }
  } finally {
    clearTimeout(timer)
    await row.tidy?.(ground, prepared, result)
  }
}

/** Watches for tasks that keep the page busy for 50 ms or more. */
function observeTasks(): { end(): Promise<number> } {
  let longest = 0
  const look = (entries: PerformanceEntryList): void =>
    entries.forEach(({ duration }) => (longest = Math.max(longest, duration)))
  const observer = new PerformanceObserver((list) => look(list.getEntries()))
  observer.observe({ type: 'longtask' })
  return {
    end: async () => {
      // A task is reported only when it is over.
      await new Promise((resolve) => setTimeout(resolve, 0))
      await new Promise((resolve) => setTimeout(resolve, 0))
      look(observer.takeRecords())
      observer.disconnect()
      return longest
    },
  }
}
