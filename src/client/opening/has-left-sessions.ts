/** Whether an earlier run, which had no IndexedDB, left sessions in Web Storage. */
export function hasLeftSessions(name: string): boolean {
  try {
    // Node has a `localStorage` of its own, which this package does not use.
    return (
      'document' in globalThis &&
      Object.keys(localStorage).some((key) => key.startsWith(`keepsession:${name}:session:`))
    )
  } catch {
    return false
  }
}
