import type { Sync } from './sync-contract.ts'

/** Watches whatever is on a list, which is passed as a whole each time. */
export function watchAll(sync: Pick<Sync, 'watch'>): (keys: readonly string[]) => void {
  const stops = new Map<string, () => void>()
  return (keys) => {
    for (const key of keys) if (!stops.has(key)) stops.set(key, sync.watch(key))
    const wanted = new Set(keys)
    for (const [key, stop] of stops) {
      if (wanted.has(key)) continue
      stops.delete(key)
      stop()
    }
  }
}
