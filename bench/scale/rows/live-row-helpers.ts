import type { LiveQuery } from '../../../src/client/live-value.ts'

/** Given back where there is nothing to give. */
export const changed = undefined

/** Resolves at the next change of a live query. */
export function nextChange(query: LiveQuery<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const stop = query.subscribe(() => {
      stop()
      resolve()
    })
  })
}

/** Opens so many live queries, changes something, and waits until all of them show it. */
export async function watchTogether(
  count: number,
  open: () => LiveQuery<unknown>,
  act: () => Promise<void>,
): Promise<void> {
  const queries = Array.from({ length: count }, open)
  try {
    await Promise.all(queries.map((query) => query.ready()))
    const all = Promise.all(queries.map(nextChange))
    await act()
    await all
  } finally {
    for (const query of queries) query[Symbol.dispose]()
  }
}
