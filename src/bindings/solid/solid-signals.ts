import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from 'solid-js'
import type { Message } from '../../contract/message.ts'
import type { SearchFilter } from '../../contract/search.ts'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import type { ClientSource } from '../views/client-view.ts'
import { type HealthState, healthView } from '../views/health-view.ts'
import { type SearchState, searchView } from '../views/search-view.ts'
import { type SessionsState, sessionsView } from '../views/sessions-view.ts'
import { type TranscriptState, type TranscriptTarget, transcriptView } from '../views/transcript-view.ts'
import type { View } from '../views/view.ts'

/** A value, or a signal of it. */
export type MaybeAccessor<T> = T | Accessor<T>

const valueOf = <T>(given: MaybeAccessor<T>): T => (typeof given === 'function' ? (given as Accessor<T>)() : given)

/** The state of the newest view that `make` has made, until the owner of the caller is disposed of. */
function createState<State>(make: () => View<State>): Accessor<State> {
  const view = createMemo(make)
  const [changed, change] = createSignal(undefined, { equals: false })
  // An effect, so that a server starts nothing.
  createEffect(() => onCleanup(view().subscribe(change)))
  // Without a wait for the effect: a new view never shows the content of the old one.
  return createMemo(() => (changed(), view().getSnapshot()))
}

/** As text: a query that is written in place is another object each time. */
const textOf = (value: MaybeAccessor<object>): Accessor<string> => createMemo(() => JSON.stringify(valueOf(value)))

/** The list of sessions, live. */
export function useSessions<M extends object = Message>(
  client: MaybeAccessor<ClientSource<M>>,
  query: MaybeAccessor<ListQuery> = {},
): Accessor<SessionsState> {
  const asked = textOf(query)
  return createState(() => sessionsView(valueOf(client), JSON.parse(asked())))
}

/**
 * The newest entries of a session, live: `last` of them at first (default 50), and those that arrive.
 *
 * @param client - finds a session by its key; not needed for a handle
 */
export function useTranscript<M extends object = Message>(
  client: MaybeAccessor<ClientSource<M>>,
  target: MaybeAccessor<TranscriptTarget<M>>,
  options: { readonly last?: number } = {},
): Accessor<TranscriptState<M>> {
  return createState(() => transcriptView(valueOf(client), valueOf(target), options))
}

/**
 * Searches again whenever the text or the filter changes. Of words that are still being typed, only the last search is
 * finished.
 */
export function useSearch<M extends object = Message>(
  client: MaybeAccessor<ClientSource<M>>,
  text: MaybeAccessor<string>,
  filter: MaybeAccessor<SearchFilter> = {},
): Accessor<SearchState> {
  const asked = textOf(filter)
  let newest: View<SearchState> | undefined
  return createState(() => (newest = searchView(valueOf(client), valueOf(text), JSON.parse(asked()), newest)))
}

/** Where the store lives and whether it is durable. */
export function useHealth<M extends object = Message>(client: MaybeAccessor<ClientSource<M>>): Accessor<HealthState> {
  return createState(() => healthView(valueOf(client)))
}
