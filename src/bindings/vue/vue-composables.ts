import { type ComputedRef, computed, type MaybeRefOrGetter, shallowRef, toValue, watchPostEffect } from 'vue'
import type { Message } from '../../contract/message.ts'
import type { SearchFilter } from '../../contract/search.ts'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import type { ClientSource } from '../views/client-view.ts'
import { type HealthState, healthView } from '../views/health-view.ts'
import { type SearchState, searchView } from '../views/search-view.ts'
import { type SessionsState, sessionsView } from '../views/sessions-view.ts'
import { type TranscriptState, type TranscriptTarget, transcriptView } from '../views/transcript-view.ts'
import type { View } from '../views/view.ts'

/** The state of the newest view that `make` has made, until the scope of the caller ends. */
function useView<State>(make: () => View<State>): ComputedRef<State> {
  const view = computed(make)
  const changes = shallowRef(0)
  // After mounting, so that a server starts nothing. The scope stops the effect.
  watchPostEffect((onCleanup) => {
    onCleanup(view.value.subscribe(() => changes.value++))
  })
  // Without a wait for the effect: a new view never shows the content of the old one.
  return computed(() => (changes.value, view.value.getSnapshot()))
}

/** As text: a query that is written in place is another object each time. */
const useText = (value: MaybeRefOrGetter<object>): ComputedRef<string> => computed(() => JSON.stringify(toValue(value)))

/** The list of sessions, live. */
export function useSessions<M extends object = Message>(
  client: MaybeRefOrGetter<ClientSource<M>>,
  query: MaybeRefOrGetter<ListQuery> = {},
): ComputedRef<SessionsState> {
  const asked = useText(query)
  return useView(() => sessionsView(toValue(client), JSON.parse(asked.value)))
}

/**
 * The newest entries of a session, live: `last` of them at first (default 50), and those that arrive.
 *
 * @param client - finds a session by its key; not needed for a handle
 */
export function useTranscript<M extends object = Message>(
  client: MaybeRefOrGetter<ClientSource<M>>,
  target: MaybeRefOrGetter<TranscriptTarget<M>>,
  options: { readonly last?: number } = {},
): ComputedRef<TranscriptState<M>> {
  return useView(() => transcriptView(toValue(client), toValue(target), options))
}

/**
 * Searches again whenever the text or the filter changes. Of words that are still being typed, only the last search is
 * finished.
 */
export function useSearch<M extends object = Message>(
  client: MaybeRefOrGetter<ClientSource<M>>,
  text: MaybeRefOrGetter<string>,
  filter: MaybeRefOrGetter<SearchFilter> = {},
): ComputedRef<SearchState> {
  const asked = useText(filter)
  let newest: View<SearchState> | undefined
  return useView(() => (newest = searchView(toValue(client), toValue(text), JSON.parse(asked.value), newest)))
}

/** Where the store lives and whether it is durable. */
export function useHealth<M extends object = Message>(
  client: MaybeRefOrGetter<ClientSource<M>>,
): ComputedRef<HealthState> {
  return useView(() => healthView(toValue(client)))
}
