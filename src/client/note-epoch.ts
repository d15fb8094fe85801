/**
 * Remembers outside of IndexedDB which database is open, so that a wiped one is noticed: browsers hand out an empty one without a word.
 *
 * @param epoch - drawn when the database was made
 * @returns whether another one was here before
 */
export function noteEpoch(name: string, epoch: string): boolean {
  try {
    const key = `keepsession.epoch:${name}`
    const before = localStorage.getItem(key)
    if (before !== epoch) localStorage.setItem(key, epoch)
    return before !== null && before !== epoch
  } catch {
    // No page, or a page that may keep nothing: then there is nothing to compare with.
    return false
  }
}
