import { abortError } from './byte-source.ts'

/**
 * Runs work while no other tab or worker of this origin runs work of the same name: two imports of one file would write
 * the same entries, and an aborted one would remove those of the other. Without locks (plain HTTP, old browsers, Node
 * 20) the work starts immediately.
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
    // Locks exist but are refused in opaque origins.
    return work()
  }
}
