import type { SessionClient } from '../../../src/client/client-contract.ts'
import { shortMessage } from '../ground.ts'

/** What one of many tabs is told to do. */
export interface Tab {
  /** Appends so many messages, one after the other. @returns milliseconds of each in the middle */
  append(count: number): Promise<number>
  /** Resolves once its transcript and its list of sessions show so many messages. */
  shows(messages: number): Promise<void>
}

const key = 'of-all-tabs'

/** Opens the store in this tab, with a transcript and a list that are watched. */
export async function joinTab(open: (name: string) => Promise<SessionClient>): Promise<void> {
  const client = await open('scale-tabs')
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
      for await (const page of list)
        if ((page.sessions.find((one) => one.key === key)?.messageCount ?? 0) >= messages) break
    },
  }
  Object.assign(globalThis, { tab })
}
