import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/** Ids asked for at once. */
const chunkSize = 500

/** Entries of a session by host message id, those that are there. */
export async function findByMid(
  store: Pick<SessionStore, 'findByMid'>,
  key: string,
  mids: readonly string[],
): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>()
  for (let from = 0; from < mids.length; from += chunkSize) {
    const asked = mids.slice(from, from + chunkSize)
    const entries = await store.findByMid(key, asked)
    entries.forEach((entry, i) => {
      if (entry !== undefined) found.set(asked[i]!, entry)
    })
  }
  return found
}
