import type { TabWorld } from '../ground.ts'
import type { Acknowledged } from './append-forever.ts'

/**
 * In the page of a store that has refused writes: appends to a session until it takes one, as an app that tries again.
 * Rejects after ten seconds.
 */
export async function appendAgain({ kept }: TabWorld, { session: key, text }: Acknowledged): Promise<Acknowledged> {
  const start = performance.now()
  for (;;) {
    try {
      await (await kept['store'].session(key)).append({ role: 'user', content: text })
      return { session: key, text }
    } catch (error) {
      if (performance.now() - start > 10_000) throw error
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}
