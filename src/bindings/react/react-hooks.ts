import { useContext, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Message } from '../../contract/message.ts'
import type { SearchFilter } from '../../contract/search.ts'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import type { ClientSource } from '../views/client-view.ts'
import { type HealthState, healthView } from '../views/health-view.ts'
import { type SearchState, searchView } from '../views/search-view.ts'
import { type SessionsState, sessionsView } from '../views/sessions-view.ts'
import { type TranscriptState, type TranscriptTarget, transcriptView } from '../views/transcript-view.ts'
import type { View } from '../views/view.ts'
import { demandStore, StoreContext, useProvidedStore } from './store-context.ts'

const useView = <State>({ subscribe, getSnapshot, getServerSnapshot }: View<State>): State =>
  useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot)

/** The list of sessions, live. @throws InvalidInput outside of a provider */
export function useSessions(query: ListQuery = {}): SessionsState {
  const { source } = useProvidedStore()
  // As text: a query that is written in place is another object at each rendering.
  const asked = JSON.stringify(query)
  return useView(useMemo(() => sessionsView(source, JSON.parse(asked)), [source, asked]))
}

/**
 * The newest entries of a session, live: `last` of them at first (default 50), and those that arrive.
 *
 * @throws InvalidInput for a key outside of a provider; a handle needs none
 */
export function useTranscript<M extends object = Message>(
  target: TranscriptTarget<M>,
  { last }: { readonly last?: number } = {},
): TranscriptState<M> {
  const provided = useContext(StoreContext)
  const source = typeof target === 'string' ? demandStore(provided).source : undefined
  return useView(
    useMemo(
      () => transcriptView(source as ClientSource<M>, target, last === undefined ? {} : { last }),
      [source, target, last],
    ),
  )
}

/**
 * Searches again whenever the text or the filter changes. Of words that are still being typed, only the last search is
 * finished.
 *
 * @throws InvalidInput outside of a provider
 */
export function useSearch(text: string, filter: SearchFilter = {}): SearchState {
  const { source } = useProvidedStore()
  const asked = JSON.stringify(filter)
  const before = useRef<View<SearchState>>(undefined)
  const view = useMemo(() => searchView(source, text, JSON.parse(asked), before.current), [source, text, asked])
  // Set while rendering: also a rendering that is given up leaves the hits that were shown.
  before.current = view
  return useView(view)
}

/** Where the store lives and whether it is durable. @throws InvalidInput outside of a provider */
export function useHealth(): HealthState {
  const { source } = useProvidedStore()
  return useView(useMemo(() => healthView(source), [source]))
}
