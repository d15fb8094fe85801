export interface ExchangeQueueOptions {
  /** How many sessions may be exchanged at once. */
  readonly size: number
  /** Whether it takes only a third of a place, because it is exchanged faster than the other side answers. */
  readonly isSmall: (key: string) => boolean
  /** Exchanges one. Never rejects. */
  readonly exchange: (key: string) => Promise<void>
  readonly onChange: () => void
}

/** The sessions that wait to be exchanged, and those that are being exchanged. */
export interface ExchangeQueue {
  /** Puts sessions before those that wait already. */
  add(keys: readonly string[]): void
  /** Exchanges one at once, in addition to the others, if there is room for it. */
  serve(key: string): void
  /** Whether it is being exchanged. */
  isBusy(key: string): boolean
  /** It no longer waits. */
  remove(key: string): void
  /** How many wait or are being exchanged; how many of how many are done since none was. */
  pending(): number
  progress(): { readonly done: number; readonly total: number }
  /** Exchanges those that wait, from now on. */
  start(): void
  /** Forgets those that wait, and exchanges none until it is started again. */
  stop(): void
}

export function createExchangeQueue({ size, isSmall, exchange, onChange }: ExchangeQueueOptions): ExchangeQueue {
  const busy = new Set<string>()
  /** Those of them that another device asked for. */
  const served = new Set<string>()
  let waiting: string[] = []
  let isStarted = false
  const places = createPlaces(size)
  const count = createProgressCount()

  /** @param next - called when it is done */
  const take = (key: string, next: () => void): void => {
    const leave = served.has(key) ? undefined : places.take(isSmall(key))
    busy.add(key)
    void exchange(key).finally(() => {
      leave?.()
      busy.delete(key)
      served.delete(key)
      count.finish()
      next()
      onChange()
    })
  }
  const work = (): void => {
    while (isStarted && places.areLeft() && waiting.length > 0) take(waiting.shift()!, work)
  }
  const pending = (): number => waiting.length + busy.size
  const without = (key: string): string[] => waiting.filter((one) => one !== key)

  return {
    add: (keys) => {
      const added = new Set(keys)
      const next = [...keys, ...waiting.filter((key) => !added.has(key))]
      count.expect(next.length - waiting.length, pending() === 0)
      waiting = next
      work()
      onChange()
    },
    serve: (key) => {
      // A device that asks for too many at once will ask again.
      if (!isStarted || busy.has(key) || served.size >= size) return
      count.expect(waiting.includes(key) ? 0 : 1, pending() === 0)
      waiting = without(key)
      served.add(key)
      take(key, work)
      onChange()
    },
    isBusy: (key) => busy.has(key),
    remove: (key) => void (waiting = without(key)),
    pending,
    progress: count.progress,
    start: () => {
      isStarted = true
      work()
    },
    stop: () => {
      isStarted = false
      waiting = []
    },
  }
}

/** @returns places for exchanges, of which a small session takes a third */
function createPlaces(size: number): {
  areLeft(): boolean
  /** @returns gives the place back */
  take(isSmall: boolean): () => void
} {
  let thirds = 0
  return {
    areLeft: () => thirds < 3 * size,
    take: (isSmall) => {
      const taken = isSmall ? 1 : 3
      thirds += taken
      return () => void (thirds -= taken)
    },
  }
}

/** How many of how many are done. */
interface ProgressCount {
  /** @param isFirst - none was left, so that the count begins again */
  expect(more: number, isFirst: boolean): void
  finish(): void
  progress(): { readonly done: number; readonly total: number }
}

function createProgressCount(): ProgressCount {
  let done = 0
  let total = 0
  return {
    expect: (more, isFirst) => {
      if (isFirst) [done, total] = [0, 0]
      total += more
    },
    finish: () => {
      done += 1
    },
    progress: () => ({ done, total }),
  }
}
