import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/** The number of ids per request. */
const chunkSize = 500

/** Finds the existing entries of a session by their host message ids. */
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
