import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store.ts'

/** Every raw entry of a session, a deleted one's too. */
export async function readEntries(store: Pick<SessionStore, 'changes'>, key: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, {}, cursor)
    for (const entry of page.entries) entries.push(entry)
    cursor = page.next
    if (cursor === undefined) return entries
  }
}
