export type Timing = Readonly<Record<'time' | 'longest task' | 'longest gap', number>>

/**
 * Runs something and takes its time, the longest task that the browser reports meanwhile (only those of 50 ms and more;
 * else 0), and the longest gap between two turns of a timer that is due every 4 ms.
 */
export async function timed(act: () => Promise<unknown>): Promise<Timing> {
  let task = 0
  let gap = 0
  const observer = new PerformanceObserver((list) => look(list.getEntries()))
  const look = (entries: PerformanceEntryList): void =>
    entries.forEach(({ duration }) => (task = Math.max(task, duration)))
  observer.observe({ type: 'longtask' })
  let last = performance.now()
  const tick = (): void => {
    const now = performance.now()
    gap = Math.max(gap, now - last)
    last = now
  }
  const timer = setInterval(tick, 4)
  const start = performance.now()
  await act()
  const time = performance.now() - start
  tick()
  clearInterval(timer)
  // A task is reported only when it is over.
  await new Promise((resolve) => setTimeout(resolve, 20))
  look(observer.takeRecords())
  observer.disconnect()
  return { time, 'longest task': task, 'longest gap': gap }
}

/** Runs something so many times, one after the other, and gives the median in milliseconds. */
export async function medianOf(count: number, act: (i: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    await act(i)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return times[count >> 1]!
}
