import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ClientUpkeep, SessionClient } from '../client-contract.ts'
import { readHistory } from '../context/read-history.ts'
import type { ClientSearch } from '../create-search.ts'
import type { Leadership } from '../leadership/leadership-types.ts'
import { openLeadership } from '../leadership/open-leadership.ts'
import type { LiveQuery } from '../live-value.ts'
import type { MessageStream } from '../message-stream-types.ts'
import { retainOnce } from '../retention/retain-once.ts'
import type { LiveSource } from '../session/live-query.ts'
import { createSessionLists } from '../session/session-lists.ts'
import { createSessionOpener, type SessionOpener } from '../session/session-opener.ts'
import { askToPersist } from '../upkeep/ask-to-persist.ts'
import type { ClientParts } from './client-parts.ts'
import type { OpenedClient } from './opened-client.ts'
import { readHealth } from './read-health.ts'

type Published<Name extends 'leadership'> = ReturnType<SessionClient[Name]> extends LiveQuery<infer T> ? T : never

/** What a client does once it was asked for more than its store. */
export interface LaterMethods
  extends Pick<SessionClient, 'mainSession' | 'lead' | 'search'>,
    Pick<ClientUpkeep, 'health' | 'persist' | 'retain'>,
    Pick<SessionStore, 'getHistory'> {
  readonly session: SessionOpener['open']
  /** Keep a live query current; return how to stop. */
  followSessions(query: ListQuery, source: LiveSource<SessionPage>): () => void
  followLeadership(source: LiveSource<Published<'leadership'>>): () => void
  /** Ends all that stands on the store: streams are kept as they are. */
  end(): Promise<void>
}

/**
 * Makes the methods of a client that a page loads when it asks for them, once for each client.
 *
 * @param closing - settles when the client is closed; absent as long as nobody closes it
 */
export function createLaterMethods(
  opened: OpenedClient,
  parts: ClientParts,
  closing: () => Promise<void> | undefined,
): LaterMethods {
  const { store, feed } = opened
  const openStreams = new Set<MessageStream>()
  const lists = createSessionLists(store, feed)
  let opener: SessionOpener | undefined
  let search: Promise<ClientSearch> | undefined
  let leadership: Leadership | undefined

  const sessions = (): SessionOpener =>
    (opener ??= createSessionOpener({ ...opened, openStreams, createEphemeralStore: parts.createEphemeralStore }))
  const office = (): Leadership => (leadership ??= openLeadership(opened))
  return {
    session: (...target) => sessions().open(...target),
    getHistory: (key) => readHistory(store, key),
    mainSession: (agentId) => sessions().openMain(agentId),
    followSessions: lists.follow,
    lead: async (...work) => office().lead(...work),
    followLeadership: ({ publish }) => office().follow(publish),
    search: async (...query) => {
      // While it is closing nobody would close another one; once it is closed, a search is refused.
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
      await Promise.allSettled([...openStreams].map((stream) => stream.abort({ keep: true })))
      await search?.then(
        (one) => one.close(),
        () => undefined,
      )
      await leadership?.close()
    },
  }
}
