import { abortError } from './byte-source.ts'

/**
 * Does work while no other tab or worker of this origin does work of the same name: two imports of one file would write
 * the same entries, and one that is cancelled would take the other's back. Where there are no locks (plain HTTP, old
 * browsers, Node 20) it is done at once.
 *
 * @throws Aborted while it waits
 */
export async function oneAtATime<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator ?? {}
  if (locks === undefined) return work()
  let hasBegun = false
  try {
    return await locks.request(name, signal === undefined ? {} : { signal }, () => {
      hasBegun = true
      return work()
    })
  } catch (error) {
    if (hasBegun) throw error
    if (signal?.aborted) throw abortError()
    // Locks that are there, but refused: in opaque origins.
    return work()
  }
}
