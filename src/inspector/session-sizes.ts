import type { UsageReport } from '../contract/store/store-upkeep.ts'
import { bytesOf } from './describe-values.ts'

/** Sizes are known of the largest sessions, and of the rest that they are no larger. */
const sized = 1_000
/** Between two readings at least this passes, and so many times as long as the last one took. */
const [restMs, restTimes] = [1_000, 20]

/** The sizes of sessions. They are counted over all rows of the store, and don't come with a change of it. */
export interface SessionSizes {
  textOf(key: string): string
  /** The size of a session is another one now: which one is not known before the next reading. */
  forget(key: string): void
  read(): Promise<void>
  /** How long the store is to have rest from readings. */
  restMs(): number
}

export function createSessionSizes(
  usage: (options: { readonly largest: number }) => Promise<Pick<UsageReport, 'largest' | 'sessions'>>,
  now: () => number = () => performance.now(),
): SessionSizes {
  let sizes: ReadonlyMap<string, number> | undefined
  let smallest: number | undefined
  let tookMs = 0
  let changes = 0
  let readings = 0
  /** Sessions that have changed since a reading began, with which change of all that was. */
  const forgotten = new Map<string, number>()

  return {
    textOf(key) {
      if (sizes === undefined) return '…'
      if (forgotten.has(key)) return '?'
      const bytes = sizes.get(key)
      if (bytes !== undefined) return bytesOf(bytes)
      return smallest === undefined ? '…' : `≤ ${bytesOf(smallest)}`
    },
    forget: (key) => void forgotten.set(key, ++changes),
    async read() {
      const own = ++readings
      const [from, until] = [now(), changes]
      const { largest, sessions } = await usage({ largest: sized })
      // A later one has been begun: it knows more.
      if (own !== readings) return
      tookMs = now() - from
      sizes = new Map(largest.map(({ key, bytes }) => [key, bytes]))
      smallest = sessions > largest.length ? largest.at(-1)?.bytes : undefined
      // What changed while it was read may have been counted before, or not.
      for (const [key, change] of forgotten) if (change <= until) forgotten.delete(key)
    },
    restMs: () => Math.max(restMs, restTimes * tookMs),
  }
}
