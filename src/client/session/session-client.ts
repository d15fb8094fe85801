import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ClientFiles, ClientUpkeep, SessionClient } from '../client-contract.ts'
import type * as jobsModule from '../files/client-jobs.ts'
import { lazyJob } from '../files/lazy-job.ts'
import type { Job } from '../job-handle.ts'
import type { LiveQuery } from '../live-value.ts'
import type { ClientParts } from '../opening/client-parts.ts'
import type { LaterMethods } from '../opening/later-methods.ts'
import type * as later from '../opening/later-parts.ts'
import type { OpenedClient } from '../opening/opened-client.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'

/** What a client needs for some of its work only, and so may load later. */
export interface LaterParts extends ClientParts {
  load(): Promise<typeof later>
}

/** Creates what an app works with, from a store that is open. Whatever an app may never call is loaded at its first call. */
export function createSessionClient(opened: OpenedClient, parts: LaterParts): SessionClient {
  const { store: whole, name, feed, page } = opened
  let closing: Promise<void> | undefined
  let loading: Promise<LaterMethods> | undefined

  const load = (): Promise<LaterMethods> =>
    (loading ??= parts.load().then(
      ({ createLaterMethods }) => createLaterMethods(opened, parts, () => closing),
      (error: unknown) => {
        // The next call tries to load it again.
        loading = undefined
        throw error
      },
    ))

  async function end(): Promise<void> {
    // A part that was never loaded has nothing to end.
    await (await loading?.catch(() => undefined))?.end()
    await whole.close()
    feed.close()
    page.release()
  }
  const close = (): Promise<void> => (closing ??= end())

  const live = <T>(follow: (later: LaterMethods, source: LiveSource<T>) => () => void): LiveQuery<T> =>
    createLiveQuery(feed.ending, (source) => {
      const following = load().then((methods) => follow(methods, source))
      following.catch(source.fail)
      return () => void following.then((stop) => stop(), () => undefined)
    })

  const job = <T>(start: (jobs: typeof jobsModule, place: jobsModule.JobPlace) => Job<T>): Job<T> =>
    lazyJob(async () => start(await import('../files/client-jobs.ts'), { ...opened, makeWorker: makeJobWorker }))

  const files: ClientFiles = {
    import: (source, options) => job((jobs, place) => jobs.importFrom(place, source, options)),
    export: (format, options) => job((jobs, place) => jobs.exportAs(place, format, options)),
  }
  const upkeep: ClientUpkeep = {
    health: async () => (await load()).health(),
    persist: async (options) => (await load()).persist(options),
    retain: async (policy, options) => (await load()).retain(policy, options),
    usage: ({ key, ...options } = {}) => whole.usage(key, options),
    flush: () => whole.flush(),
    verify: (options) => job((jobs, place) => jobs.verify(place, options)),
    repair: (options) => job((jobs, place) => jobs.repair(place, options)),
    reclaim: (options) => job((jobs, place) => jobs.reclaim(place, options)),
    changeEncryption: (to, options) => job((jobs, place) => jobs.changeEncryption(place, to, options)),
  }
  // A history of 100,000 messages in one answer would keep the page busy while it is copied: it is read in pages.
  const store: SessionStore = { ...whole, getHistory: async (key) => (await load()).getHistory(key), close }
  return {
    name,
    store,
    files,
    upkeep,
    blobs: { put: whole.putBlob, get: whole.getBlob },
    session: async (...target: Parameters<LaterMethods['session']>) => (await load()).session(...target) as never,
    mainSession: async (agentId) => (await load()).mainSession(agentId),
    sessions: (query = {}) => live((methods, source) => methods.followSessions(query, source)),
    listSessions: (query) => whole.listSessions(query),
    search: async (query, options) => (await load()).search(query, options),
    delete: (key) => whole.delete(key),
    undelete: (key) => whole.undelete(key),
    purge: (key) => whole.purge(key),
    lead: async (work, options) => (await load()).lead(work, options),
    leadership: () => live((methods, source) => methods.followLeadership(source)),
    subscribe: feed.subscribe,
    close,
    [Symbol.asyncDispose]: close,
  }
}
