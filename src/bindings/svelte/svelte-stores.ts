import type { Message } from '../../contract/message.ts'
import type { SearchFilter } from '../../contract/search.ts'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import type { ClientSource } from '../views/client-view.ts'
import { type HealthState, healthView } from '../views/health-view.ts'
import { type SearchState, searchView } from '../views/search-view.ts'
import { type SessionsState, sessionsView } from '../views/sessions-view.ts'
import { type TranscriptState, type TranscriptTarget, transcriptView } from '../views/transcript-view.ts'
import { createView, type View } from '../views/view.ts'

/** Svelte's contract of a store that can be read: `$store` in a component. */
export interface ReadableStore<State> {
  /** Calls back at once, and after every change. Returns a function that unsubscribes. */
  subscribe(run: (state: State) => void): () => void
}

/** A value, or a store of it. */
export type MaybeStore<T> = T | ReadableStore<T>

function isStore<T>(given: MaybeStore<T>): given is ReadableStore<T> {
  return typeof (given as Partial<ReadableStore<T>> | undefined)?.subscribe === 'function'
}

const toStore = <State>({ subscribe, getSnapshot }: View<State>): ReadableStore<State> => ({
  subscribe: (run) => {
    const unsubscribe = subscribe(() => run(getSnapshot()))
    run(getSnapshot())
    return unsubscribe
  },
})

/**
 * The state of the view of the newest input.
 *
 * @param idOf - the same for inputs that are the same: a store calls back with an object even if it has not changed
 */
function storeOf<T, State extends object>(
  input: MaybeStore<T>,
  make: (value: T, before?: View<State>) => View<State>,
  idOf: (value: T) => unknown = (value) => value,
): ReadableStore<State> {
  if (!isStore(input)) return toStore(make(input))
  let view: View<State> | undefined
  let id: unknown
  function viewOf(value: T): View<State> {
    const next = idOf(value)
    if (view === undefined || next !== id) view = make(value, view)
    id = next
    return view
  }
  // The first state is that of the input's first value, which a store has at once.
  input.subscribe(viewOf)()
  return toStore(
    createView(view!.getSnapshot(), (show) => {
      let followed: View<State> | undefined
      let leave = (): void => undefined
      const unsubscribe = input.subscribe((value) => {
        const next = viewOf(value)
        if (next === followed) return
        leave()
        followed = next
        const showNext = (): void => show(next.getSnapshot())
        leave = next.subscribe(showNext)
        showNext()
      })
      return () => {
        unsubscribe()
        leave()
      }
    }),
  )
}

/** The list of sessions, live. */
export function useSessions<M extends object = Message>(
  client: ClientSource<M>,
  query: MaybeStore<ListQuery> = {},
): ReadableStore<SessionsState> {
  return storeOf(query, (asked) => sessionsView(client, asked), JSON.stringify)
}

/**
 * The newest entries of a session, live: `last` of them at first (default 50), and those that arrive.
 *
 * @param client - finds a session by its key; not needed for a handle
 */
export function useTranscript<M extends object = Message>(
  client: ClientSource<M>,
  target: MaybeStore<TranscriptTarget<M>>,
  options: { readonly last?: number } = {},
): ReadableStore<TranscriptState<M>> {
  return storeOf(target, (shown) => transcriptView(client, shown, options))
}

/**
 * Searches again whenever the text changes. Of words that are still being typed, only the last search is finished.
 */
export function useSearch<M extends object = Message>(
  client: ClientSource<M>,
  text: MaybeStore<string>,
  filter: SearchFilter = {},
): ReadableStore<SearchState> {
  return storeOf<string, SearchState>(text, (words, before) => searchView(client, words, filter, before))
}

/** Where the store lives and whether it is durable. */
export function useHealth<M extends object = Message>(client: ClientSource<M>): ReadableStore<HealthState> {
  return toStore(healthView(client))
}
