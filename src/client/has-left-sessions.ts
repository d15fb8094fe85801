import type { StoreMode } from './types.ts'

/** Whether an earlier run, which had no IndexedDB, left sessions in Web Storage, and this one has a better place for them. */
export function hasLeftSessions(mode: StoreMode, name: string): boolean {
  try {
    // Node has a `localStorage` of its own, which is not meant.
    return mode !== 'web-storage' && mode !== 'memory' && 'document' in globalThis && Object.keys(localStorage).some((key) => key.startsWith(`keepsession:${name}:session:`))
  } catch {
    return false
  }
}
