import { namesOf } from '../../domain/names-of.ts'

/** Whether an earlier run, which had no IndexedDB, left sessions, or rows of collections, in Web Storage. */
export function hasLeftSessions(name: string): boolean {
  try {
    // Node has a `localStorage` of its own, which this package does not use.
    return (
      'document' in globalThis &&
      Object.keys(localStorage).some((key) =>
        ['session', 'row'].some((kind) => key.startsWith(`${namesOf(name)}:${kind}:`)),
      )
    )
  } catch {
    return false
  }
}
