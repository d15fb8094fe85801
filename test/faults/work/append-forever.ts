import type { TabWorld } from '../ground.ts'

/** What a tab says of each append that was acknowledged. */
export interface Acknowledged {
  readonly session: string
  readonly text: string
}

export interface Appending {
  readonly name: string
  readonly session: string
  /** How many appends go out before the tab lets the browser do something else. */
  readonly burst: number
}

/**
 * In a page: opens the store and appends `<session>#<n>` for n = 0, 1, 2 …, in bursts that are not waited for, until
 * the page is gone. Resolves once the store is open. Where there is a `kept.rest` it is called, and waited for, when
 * all that was asked for has settled.
 */
export async function appendForever(
  { sdk, say, kept }: TabWorld,
  { name, session: key, burst }: Appending,
): Promise<void> {
  const client = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  const session = await client.session(key)
  // Not a timer: those of hidden tabs are held back to one a second.
  const { port1, port2 } = new MessageChannel()
  void (async () => {
    let calls: Promise<void>[] = []
    for (let n = 0; ; ) {
      if (kept['rest'] !== undefined) {
        await Promise.allSettled(calls)
        // Some of it may be in the journal only, and a transaction for it about to begin.
        await client.store.flush()
        await kept['rest']()
      }
      const burstCalls = Array.from({ length: burst }, () => {
        const text = `${key}#${n}`
        return session
          .append({ role: n++ % 2 === 0 ? 'user' : 'assistant', content: text })
          .then(() => say({ session: key, text }))
      })
      calls.push(...burstCalls)
      // Now and then all are waited for, so that no queue grows without end.
      if (n % (burst * 8) === 0) {
        await Promise.all(calls)
        calls = []
      } else {
        port2.postMessage(undefined)
        await new Promise((resolve) => (port1.onmessage = resolve))
      }
    }
  })()
}
