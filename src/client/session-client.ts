import type { ChangeSink } from '../contract/change.ts'
import type { SessionStore } from '../contract/store.ts'
import type * as later from './later-parts.ts'
import type { FileJobName } from './file-jobs.ts'
import { laterJob } from './later-job.ts'
import { makeJobWorker } from './make-job-worker.ts'
import { methodNames } from './options-index.ts'
import type { OpenedClient } from './opened-client.ts'
import type { Leadership } from './leadership/types.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'
import type { ClientSearch } from './search.ts'
import type { SessionOpener } from './session-opener.ts'
import type { LiveQuery, MessageStream, SessionClient } from './types.ts'

const fileJobNames: readonly FileJobName[] = ['importJsonl', 'importPicoClaw', 'importFiles', 'importAgently', 'exportAgently', 'exportFiles', 'changeEncryption', 'verifyStore', 'repairStore']
const laterNames = ['health', 'persist', 'retain'] as const

/** What a client needs for some of its work only, and so may load later. */
export interface ClientParts {
  load(): Promise<typeof later>
  /** Makes a store for one sub-turn. */
  createEphemeralStore(onChange: ChangeSink): Promise<SessionStore>
  openSearch(opened: OpenedClient): Promise<ClientSearch>
}

/** Makes what an app works with, of a store that is open. */
export function createSessionClient(opened: OpenedClient, parts: ClientParts): SessionClient {
  const { store, name, feed, page } = opened
  const openStreams = new Set<MessageStream>()
  let closing: Promise<void> | undefined
  let opener: SessionOpener | undefined
  let search: Promise<ClientSearch> | undefined
  let leadership: Leadership | undefined

  async function close(): Promise<void> {
    await Promise.allSettled([...openStreams].map((stream) => stream.abort({ keep: true })))
    await search?.then((one) => one.close(), () => undefined)
    await leadership?.close()
    await store.close()
    feed.close()
    page.release()
  }

  async function loadOpener(): Promise<SessionOpener> {
    const { createSessionOpener } = await parts.load()
    return (opener ??= createSessionOpener({ ...opened, openStreams, createEphemeralStore: parts.createEphemeralStore }))
  }

  async function loadLeadership(): Promise<Leadership> {
    const { openLeadership } = await parts.load()
    return (leadership ??= openLeadership(opened))
  }

  const live = <T>(follow: (source: LiveSource<T>) => Promise<() => void>): LiveQuery<T> =>
    createLiveQuery(feed.ending, (source) => {
      const following = follow(source)
      following.catch(source.fail)
      return () => void following.then((stop) => stop(), () => undefined)
    })

  const loadFileJobs = () => import('./file-jobs.ts')
  const jobs = Object.fromEntries(
    fileJobNames.map((kind) => [kind, (...given: readonly unknown[]) => laterJob(async () => (await loadFileJobs()).startFileJob({ ...opened, makeWorker: makeJobWorker }, kind, given))]),
  ) as unknown as Pick<SessionClient, FileJobName>

  const laterMethods = Object.fromEntries(
    laterNames.map((method) => [method, async (...given: readonly unknown[]) => ((await parts.load()).clientMethods[method] as (...all: readonly unknown[]) => unknown)(opened, ...given)]),
  ) as unknown as Pick<SessionClient, (typeof laterNames)[number]>
  const methods = Object.fromEntries(methodNames.map((method) => [method, store[method].bind(store)])) as unknown as SessionStore
  return {
    ...methods,
    name,
    session: (async (...target: Parameters<SessionOpener['open']>) => (await loadOpener()).open(...target)) as SessionClient['session'],
    mainSession: async (agentId) => (await loadOpener()).openMain(agentId),
    sessions: (query = {}) => live(async (source) => (await parts.load()).followSessionList(store, feed, query, source)),
    lead: async (...work) => (await loadLeadership()).lead(...work),
    leadership: () => live(async ({ publish }) => (await loadLeadership()).follow(publish)),
    search: async (...query) => {
      // While it is closing nobody would close another one; once it is closed, a search is refused.
      await closing
      search ??= parts.openSearch(opened).catch((error: unknown) => {
        search = undefined
        throw error
      })
      return (await search).search(...query)
    },
    subscribe: feed.subscribe,
    ...laterMethods,
    ...jobs,
    async *exportPicoClaw(options) {
      yield* (await loadFileJobs()).exportPicoClaw(store, options)
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}
