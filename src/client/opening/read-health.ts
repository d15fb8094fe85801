import type { StoreHealth } from '../store-health.ts'
import type { LadderResult } from './ladder.ts'
import { isDurable } from './storage-of-mode.ts'

/** Some browsers never answer. */
const patienceMs = 1000

/**
 * Reads where a store is and how it was opened, with the browser's own figures on the storage of this origin, if there
 * are any.
 */
export async function readHealth(
  { store, mode: opened, skipped, moved, restarts, recovery: reportOf, mirrorNow, encryption }: LadderResult,
  name: string,
): Promise<StoreHealth> {
  const storage = (globalThis.navigator as Navigator | undefined)?.storage as StorageManager | undefined
  const [persisted, estimate, unflushed] = await Promise.all([
    ask(() => storage?.persisted()),
    ask(() => storage?.estimate()),
    ask(() => store.unflushed()),
  ])
  const recovery = reportOf?.()
  const mirror = mirrorNow?.()
  const mode = recovery?.rung === 'memory' ? 'memory' : opened
  return {
    mode,
    skipped,
    name,
    durable: isDurable(mode),
    restarts: restarts?.() ?? 0,
    ...(recovery === undefined ? {} : { recovery }),
    ...(moved === undefined ? {} : { moved }),
    ...(mirror === undefined ? {} : { mirror }),
    ...(encryption === undefined ? {} : { encryption }),
    ...(unflushed === undefined ? {} : { unflushed }),
    ...(persisted === undefined ? {} : { persisted }),
    ...(estimate?.usage === undefined ? {} : { originBytes: estimate.usage }),
    ...(estimate?.quota === undefined ? {} : { quotaBytes: estimate.quota }),
  }
}

async function ask<T>(question: () => Promise<T> | undefined): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await Promise.race([
      question(),
      new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patienceMs))),
    ])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
