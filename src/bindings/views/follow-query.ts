import type { LiveQuery } from '../../client/live-value.ts'
import { SessionError } from '../../contract/errors.ts'

/** Hands every value of a live query to `take`, and to `fail` why there is none, or why there will be no more. */
export function followQuery<T>(
  query: LiveQuery<T>,
  take: (value: T) => void,
  fail: (error: unknown) => void,
): () => void {
  async function follow(): Promise<never> {
    for await (const value of query) take(value)
    // Says why a query that never had a value has ended.
    await query.ready()
    throw new SessionError('StorageClosed', 'The store was closed. Open it again.')
  }
  follow().catch(fail)
  // A query whose first reading failed goes on: the next change may make it readable.
  query.ready().catch(fail)
  return query.close
}
