import type { LiveQuery } from '../../client/live-value.ts'
import { SessionError } from '../../contract/errors.ts'

/** Hands every value of a live query to `take`, and to `fail` why it could not be read, or why there will be no more. */
export function followQuery<T>(
  query: LiveQuery<T>,
  take: (value: T) => void,
  fail: (error: unknown) => void,
): () => void {
  // A query that could not be read goes on: the next change may make it readable.
  const report = (): void => {
    const error = query.getError()
    if (error !== undefined) fail(error)
  }
  async function follow(): Promise<never> {
    for await (const value of query) {
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
