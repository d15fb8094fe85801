import type { Entry, VersionVector } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/** All entries under a key that a vector does not include. */
export async function readWholeLog(
  store: Pick<SessionStore, 'changes'>,
  key: string,
  since: VersionVector,
): Promise<readonly Entry[]> {
  const pages: (readonly Entry[])[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, since, cursor, { isKey: true })
    pages.push(page.entries)
    if (page.next === undefined) return pages.flat()
    cursor = page.next
  }
}
