import { SessionError } from '../../contract/errors.ts'
import type { LiveQuery } from '../live-value.ts'
import type { LaterMethods } from '../opening/later-methods.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'

type Call<Given extends readonly unknown[], T> = (...given: Given) => Promise<T>

/**
 * Creates what the methods of a client are made of. Each refuses with StorageClosed once the client is closed.
 *
 * @param load - loads the methods that are not part of the page entry
 * @returns `open` guards a method of the store; `later` makes a method of a loaded one; `live` makes a live query, and
 *   `refuse` throws when the client is closed
 */
export function createClientCalls(
  name: string,
  feed: ChangeFeed,
  isClosed: () => unknown,
  load: () => Promise<LaterMethods>,
) {
  const refuse = (): void => {
    if (isClosed())
      throw new SessionError(
        'StorageClosed',
        `The client of "${name}" was closed. Open it again with openSessionStore.`,
      )
  }
  const open =
    <Given extends readonly unknown[], T>(method: Call<Given, T>): Call<Given, T> =>
    async (...given) => {
      refuse()
      return method(...given) // bounded: a method's parameters
    }
  const later = <Given extends readonly unknown[], T>(pick: (methods: LaterMethods) => Call<Given, T>) =>
    open(async (...given: Given) => pick(await load())(...given)) // bounded: a method's parameters

  // In a scope of its own: what `live` captures is held as long as the query is open, and must not hold the query.
  const watch = (query: object, token: object): void =>
    void load().then(
      ({ watchQuery }) => watchQuery(query, token),
      () => undefined,
    )
  const live = <T>(follow: (later: LaterMethods, source: LiveSource<T>) => () => void): LiveQuery<T> => {
    let token = {}
    const query = createLiveQuery<T>(feed.ending, (source) => {
      token = source
      const following = load().then((methods) => follow(methods, source))
      following.catch(source.fail)
      return () =>
        void following.then(
          (stop) => stop(),
          () => undefined,
        )
    })
    watch(query, token)
    return query
  }
  // A list, because the names of properties would stay in the page entry.
  return [open, later, live, refuse] as const
}
