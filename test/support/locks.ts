interface Waiting {
  readonly take: (lock: Lock) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly signal: AbortSignal | undefined
}

/** All that were made in this realm, to see what is left of them. */
export const madeLocks: LockManager[] = []

/** Exclusive Web Locks of one origin, for Node 20, which has none: in turn, with `signal` and `steal`. */
export function createLocks(): LockManager {
  const queues = new Map<string, Waiting[]>()
  const held = new Map<string, Waiting>()

  function grant(name: string, waiting: Waiting): void {
    held.set(name, waiting)
    const free = (): void => {
      if (held.get(name) !== waiting) return
      held.delete(name)
      const next = queues.get(name)?.shift()
      if (next !== undefined) grant(name, next)
    }
    // The callback runs in a task of its own, as in browsers.
    setTimeout(() => {
      Promise.resolve(waiting.take({ name, mode: 'exclusive' }))
        .then(waiting.resolve, waiting.reject)
        .finally(free)
    })
  }

  const request = (
    name: string,
    options: LockOptions | ((lock: Lock) => unknown),
    callback?: (lock: Lock) => unknown,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal, steal } = typeof options === 'function' ? {} : (options as LockOptions)
      const waiting: Waiting = { take: callback ?? (options as (lock: Lock) => unknown), resolve, reject, signal }
      if (signal?.aborted === true) return reject(signal.reason)
      if (steal === true) held.get(name)?.reject(new DOMException('Stolen', 'AbortError'))
      if (steal === true || !held.has(name)) return grant(name, waiting)
      const queue = queues.get(name) ?? []
      queues.set(name, queue)
      queue.push(waiting)
      signal?.addEventListener('abort', () => {
        const at = queue.indexOf(waiting)
        if (at < 0) return
        queue.splice(at, 1)
        reject(signal.reason)
      })
    })
  const query = async (): Promise<unknown> => ({
    held: [...held.keys()].map((name) => ({ name })),
    pending: [...queues].flatMap(([name, queue]) => queue.map(() => ({ name }))),
  })
  const locks = { request, query } as unknown as LockManager
  madeLocks.push(locks)
  return locks
}
