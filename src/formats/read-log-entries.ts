import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { abortError } from './byte-source.ts'

/**
 * Reads every raw entry of a session, even of a deleted one. The signal is checked between two pages. @throws Aborted
 */
export async function readEntries(
  store: Pick<SessionStore, 'changes'>,
  key: string,
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    if (signal?.aborted) throw abortError('export')
    const page = await store.changes(key, {}, cursor)
    for (const entry of page.entries) entries.push(entry)
    cursor = page.next
    if (cursor === undefined) return entries
  }
}
