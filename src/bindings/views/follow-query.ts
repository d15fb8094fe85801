import type { LiveQuery } from '../../client/live-value.ts'
import { SessionError } from '../../contract/errors.ts'

/** Hands every value of a live query to `take`, and to `fail` why it could not be read, or why there will be no more. */
export function followQuery<T>(
  query: LiveQuery<T>,
  take: (value: T) => void,
  fail: (error: unknown) => void,
): () => void {
  let taken: T | undefined
  let hasFailed = false
  // A query that could not be read goes on: the next change may make it readable, and its value may be the same then.
  const report = (): void => {
    const error = query.getError()
    if (error !== undefined) fail(error)
    else if (hasFailed && taken !== undefined && taken === query.getSnapshot()) take(taken)
    hasFailed = error !== undefined
  }
  async function follow(): Promise<never> {
    for await (const value of query) {
      taken = value
      take(value)
      report()
    }
    // Says why a query that never had a value has ended.
    await query.ready()
    throw new SessionError('StorageClosed', 'The store was closed. Open it again.')
  }
  query.subscribe(report)
  report()
  follow().catch(fail)
  return query.close
}
