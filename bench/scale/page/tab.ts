import type { SessionClient } from '../../../src/client/types.ts'
import { shortMessage } from '../ground.ts'

/** What one of many tabs is told to do. */
export interface Tab {
  /** Appends so many messages, one after the other. @returns milliseconds of each in the middle */
  append(count: number): Promise<number>
  /** Resolves once its transcript and its list of sessions show so many messages. */
  shows(messages: number): Promise<void>
  /** The longest task since it was opened, of those of 50 ms and more; else 0. */
  longestTask(): number
}

const key = 'of-all-tabs'

/** Opens the store in this tab, with a transcript and a list that are watched. */
export async function joinTab(open: (name: string) => Promise<SessionClient>): Promise<void> {
  let longest = 0
  const client = await open('scale-tabs')
  // What it took to load the page is not meant.
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (longest = Math.max(longest, duration)))).observe({ type: 'longtask' })
  const session = await client.session(key)
  const transcript = session.transcript({ last: 10 })
  const list = client.sessions()
  await Promise.all([transcript.ready(), list.ready()])
  const tab: Tab = {
    append: async (count) => {
      const times: number[] = []
      for (let i = 0; i < count; i++) {
        const start = performance.now()
        await session.append(shortMessage(i))
        times.push(performance.now() - start)
      }
      return times.sort((a, b) => a - b)[count >> 1]!
    },
    shows: async (messages) => {
      for await (const { meta } of transcript) if ((meta?.messageCount ?? 0) >= messages) break
      for await (const page of list) if ((page.sessions.find((one) => one.key === key)?.messageCount ?? 0) >= messages) break
    },
    longestTask: () => longest,
  }
  Object.assign(globalThis, { tab })
}
