import type { TabWorld } from '../ground.ts'

export interface Answering {
  readonly name: string
  /** Sessions that it appends to in turn. */
  readonly sessions: readonly string[]
  /** What its texts end with, so that no two tabs write the same. */
  readonly mark: string
}

/**
 * In a page: opens the store and appends one message after the other, each with a pause after its answer in which the
 * database may or may not catch up with the journal. It says of each answer when it came.
 */
export async function answerSlowly({ sdk, say }: TabWorld, { name, sessions, mark }: Answering): Promise<void> {
  const client = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  const open = await Promise.all(sessions.map((key) => client.session(key)))
  void (async () => {
    for (let n = 0; ; n++) {
      const session = open[n % open.length]!
      const text = `${session.key} ${mark} ${n}`
      // The journal answers relaxed writes only.
      await session.append({ role: 'user', content: text }, { durability: 'relaxed' })
      say({ session: session.key, text, at: Date.now() })
      const until = performance.now() + Math.random() * 60
      while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve))
    }
  })()
}
