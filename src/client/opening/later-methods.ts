import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ClientUpkeep, SessionClient } from '../client-contract.ts'
import { readHistory } from '../context/read-history.ts'
import type { ClientSearch } from '../create-search.ts'
import { inDevelopment, watchDropped } from '../development.ts'
import type { Leadership } from '../leadership/leadership-types.ts'
import { openLeadership } from '../leadership/open-leadership.ts'
import type { LiveQuery } from '../live-value.ts'
import { retainOnce } from '../retention/retain-once.ts'
import type { LiveSource } from '../session/live-query.ts'
import { createOpenStreams, endStreams } from '../session/open-streams.ts'
import { createSessionLists } from '../session/session-lists.ts'
import { createSessionOpener, type SessionOpener } from '../session/session-opener.ts'
import { askToPersist } from '../upkeep/ask-to-persist.ts'
import type { ClientParts } from './client-parts.ts'
import type { OpenedClient } from './opened-client.ts'
import { readHealth } from './read-health.ts'

type Published<Name extends 'leadership'> = ReturnType<SessionClient[Name]> extends LiveQuery<infer T> ? T : never

/** Methods of a client that need more than its store. */
export interface LaterMethods
  extends Pick<SessionClient, 'mainSession' | 'lead' | 'search'>,
    Pick<ClientUpkeep, 'health' | 'persist' | 'retain'>,
    Pick<SessionStore, 'getHistory'> {
  readonly session: SessionOpener['open']
  /** Keeps a live query current. Returns a function that stops it. */
  followSessions(query: ListQuery, source: LiveSource<SessionPage>, live: object | undefined): () => void
  followLeadership(source: LiveSource<Published<'leadership'>>, live: object | undefined): () => void
  /** Ends everything that uses the store. Streams store what they have. */
  end(): Promise<void>
}

/**
 * Creates the methods of a client that a page loads at the first call, once for each client.
 *
 * @param closing - returns a promise as soon as the client is being closed
 */
export function createLaterMethods(
  opened: OpenedClient,
  parts: ClientParts,
  closing: () => Promise<void> | undefined,
): LaterMethods {
  const { store, feed } = opened
  const openStreams = createOpenStreams()
  const lists = createSessionLists(store, feed)
  let opener: SessionOpener | undefined
  let search: Promise<ClientSearch> | undefined
  let leadership: Leadership | undefined

  const sessions = (): SessionOpener =>
    (opener ??= createSessionOpener({
      ...opened,
      openStreams,
      isClientClosed: () => closing() !== undefined,
      createEphemeralStore: parts.createEphemeralStore,
      runTask: parts.runTask,
    }))
  const leading = (): Leadership => (leadership ??= openLeadership(opened))
  return {
    session: (...target) => sessions().open(...target),
    getHistory: (key) => readHistory(store, key),
    mainSession: (agentId) => sessions().openMain(agentId),
    followSessions: (query, source, live) => watching(live, source, lists.follow(query, source)),
    lead: async (...work) => leading().lead(...work),
    followLeadership: (source, live) => watching(live, source, leading().follow(source.publish)),
    search: async (...query) => {
      // Nothing would close a search that is opened while the client is being closed.
      await closing()
      search ??= parts.openSearch(opened).catch((error: unknown) => {
        search = undefined
        throw error
      })
      return (await search).search(...query)
    },
    health: () => readHealth(opened, opened.name),
    persist: askToPersist,
    retain: (policy, options) => retainOnce(opened, policy, options),
    end: async () => {
      if (openStreams.aborts.size > 0) inDevelopment(({ warn }) => warn('openStream'))
      await Promise.allSettled(endStreams(openStreams.aborts))
      await search?.then(
        (one) => one.close(),
        () => undefined,
      )
      await leadership?.close()
    },
  }
}

/** Warns developers when a live query is dropped without being stopped. @returns a function that stops it */
function watching(live: object | undefined, source: object, stop: () => void): () => void {
  if (live !== undefined) watchDropped('query', live, source)
  return () => {
    stop()
    inDevelopment(({ unwatch }) => unwatch(source))
  }
}
