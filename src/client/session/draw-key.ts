import type { SessionStore } from '../../contract/store/session-store.ts'

/**
 * Creates a function that draws keys for new sessions: `ses-<ms>`, as in ai-panel, with a suffix if that key is taken.
 * Another tab may draw the same one.
 */
export function createKeyDrawer(store: Pick<SessionStore, 'resolveSessionKey' | 'getMeta'>): () => Promise<string> {
  const drawn = new Set<string>()
  return async () => {
    const stem = `ses-${Date.now()}`
    for (let n = 1; ; n++) {
      const key = n === 1 ? stem : `${stem}-${n}`
      if (drawn.has(key)) continue
      drawn.add(key)
      if ((await store.resolveSessionKey(key)) === key && (await store.getMeta(key)) === undefined) return key
    }
  }
}
