import type { SessionStore } from '../../contract/store/session-store.ts'
import type { LiveQuery } from '../live-value.ts'
import type { LaterMethods } from '../opening/later-methods.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'

type Call<Given extends readonly unknown[], T> = (...given: Given) => Promise<T>

type LaterFollow<T> = (later: LaterMethods, source: LiveSource<T>, query: object | undefined) => () => void

/**
 * Creates the building blocks of a client's methods. Each refuses with StorageClosed once the client is closed; those
 * of the store do so themselves.
 *
 * @param closing - returns a promise as soon as the client is being closed
 * @param load - loads the methods that are not part of the page entry
 * @returns `later` creates a method whose code is loaded first, `live` creates a live query, and `refuse` rejects when
 *   the client is closed
 */
export function createClientCalls(
  store: SessionStore,
  feed: ChangeFeed,
  closing: () => Promise<void> | undefined,
  load: () => Promise<LaterMethods>,
) {
  // A closed store refuses every call, and says why.
  const refuse = async (): Promise<void> => {
    const end = closing()
    if (end !== undefined) await end.then(store.flush)
  }
  const later =
    <Given extends readonly unknown[], T>(pick: (methods: LaterMethods) => Call<Given, T>): Call<Given, T> =>
    async (...given) => {
      await refuse()
      return pick(await load())(...given) // bounded: a method's parameters
    }

  const live = <T>(follow: LaterFollow<T>): LiveQuery<T> => {
    // Weak, so that an app that drops a query can be warned.
    let dropped: WeakRef<object>
    const query = createLiveQuery<T>(feed.ending, (source) => {
      const following = load().then((methods) => follow(methods, source, dropped.deref()))
      following.catch(source.fail)
      return () =>
        void following.then(
          (stop) => stop(),
          () => undefined,
        )
    })
    dropped = new WeakRef(query)
    return query
  }
  // A list, because the names of properties would stay in the page entry.
  return [later, live, refuse] as const
}
