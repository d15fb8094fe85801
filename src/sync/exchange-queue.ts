export interface ExchangeQueueOptions {
  /** How many sessions may be exchanged at once. */
  readonly size: number
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

export function createExchangeQueue({ size, exchange, onChange }: ExchangeQueueOptions): ExchangeQueue {
  const busy = new Set<string>()
  /** Those of them that another device asked for. */
  const served = new Set<string>()
  let waiting: string[] = []
  let isStarted = false
  let done = 0
  let total = 0

  const work = (): void => {
    while (isStarted && busy.size - served.size < size && waiting.length > 0) take(waiting.shift()!)
  }
  const take = (key: string): void => {
    busy.add(key)
    void exchange(key).finally(() => {
      busy.delete(key)
      served.delete(key)
      done += 1
      work()
      onChange()
    })
  }
  const pending = (): number => waiting.length + busy.size
  const startCount = (): void => {
    if (pending() === 0) [done, total] = [0, 0]
  }

  return {
    add: (keys) => {
      startCount()
      const added = new Set(keys)
      const before = waiting.length
      waiting = [...keys, ...waiting.filter((key) => !added.has(key))]
      total += waiting.length - before
      work()
      onChange()
    },
    serve: (key) => {
      // A device that asks for too many at once will ask again.
      if (!isStarted || busy.has(key) || served.size >= size) return
      startCount()
      const before = waiting.length
      waiting = waiting.filter((one) => one !== key)
      if (waiting.length === before) total += 1
      served.add(key)
      take(key)
      onChange()
    },
    isBusy: (key) => busy.has(key),
    remove: (key) => {
      waiting = waiting.filter((one) => one !== key)
    },
    pending,
    progress: () => ({ done, total }),
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
