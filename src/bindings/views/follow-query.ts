import type { LiveQuery } from '../../client/live-value.ts'
import { SessionError } from '../../contract/errors.ts'

/**
 * Hands every value of a live query to `show`, and to `fail` why there is none, or why there will be no more.
 *
 * @param onClosed - called when the query was closed by the function that is returned
 * @returns a function that closes the query
 */
export function followQuery<T>(
  opening: Promise<LiveQuery<T>>,
  show: (value: T) => void,
  fail: (error: unknown) => void,
  onClosed?: () => unknown,
): () => void {
  async function follow(): Promise<never> {
    const query = await opening
    // A query whose first reading failed goes on: the next change may make it readable.
    query.ready().catch(fail)
    for await (const value of query) show(value)
    // Says why a query that never had a value has ended.
    await query.ready()
    throw new SessionError(
      'StorageClosed',
      'What is shown is no longer kept current: its store was closed. Open it again.',
    )
  }
  follow().catch(fail)
  return () =>
    void opening.then(
      (query) => {
        query.close()
        return onClosed?.()
      },
      // It was handed to `fail`.
      () => undefined,
    )
}
