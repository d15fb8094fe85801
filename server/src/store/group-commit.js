/**
 * Stores updates together that arrive while others are being stored, so that all of them wait for a slow disk or
 * database only once.
 *
 * @param {(updates: readonly Uint8Array[]) => Promise<void>} store - all or, when it rejects, none
 * @returns {{ append(update: Uint8Array): Promise<void>, exclusively(work: () => Promise<void>): Promise<void> }} `exclusively` runs
 * something while nothing is being stored
 */
export function groupCommit(store) {
  /** @type {{ update: Uint8Array, resolve: () => void, reject: (error: unknown) => void }[]} */
  let waiting = []
  let last = Promise.resolve()

  /** @param {() => Promise<void>} work */
  const exclusively = (work) => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  const storeWaiting = async () => {
    const group = waiting
    waiting = []
    try {
      await store(group.map(({ update }) => update))
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return {
    exclusively,
    append: (update) =>
      new Promise((resolve, reject) => {
        waiting.push({ update, resolve, reject })
        if (waiting.length === 1) void exclusively(storeWaiting)
      }),
  }
}
