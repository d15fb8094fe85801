import type { TabWorld } from '../ground.ts'

/**
 * In a page: opens a store of its own and resolves once that leads. It does until `kept.leading` is closed, or the page
 * is gone.
 */
export async function leadUntilClosed({ sdk, kept }: TabWorld, name: string): Promise<void> {
  const client = (kept['leading'] = await sdk.openSessionStore({ name, mirror: false, timeoutMs: 30_000 }))
  await new Promise<void>((resolve) => {
    const work = (_: number, signal: AbortSignal) => {
      resolve()
      return new Promise<void>((done) => signal.addEventListener('abort', () => done()))
    }
    // Ends with the store.
    client.lead(work).catch(() => undefined)
  })
}

/**
 * In a page: opens a store of its own, `kept.heir`, and stands for leader. `kept.begun` resolves with the time at which
 * it leads.
 */
export async function standForLeader({ sdk, kept }: TabWorld, name: string): Promise<void> {
  const heir = (kept['heir'] = await sdk.openSessionStore({ name, mirror: false, timeoutMs: 30_000 }))
  kept['begun'] = heir.lead(() => Date.now())
  // Until it waits for the lock.
  const isWaiting = async (): Promise<boolean> =>
    (await navigator.locks.query()).pending?.some((lock) => lock.name === `keepsession:${name}:leader`) ?? false
  while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 20))
}
