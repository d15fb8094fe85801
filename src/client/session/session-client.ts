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

/**
 * Creates what an app works with, from a store that is open. Whatever an app may never call is loaded at its first
 * call.
 */
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

  const later =
    <Given extends readonly unknown[], T>(pick: (methods: LaterMethods) => (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> =>
      pick(await load())(...given) // bounded: a method's parameters

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
      return () =>
        void following.then(
          (stop) => stop(),
          () => undefined,
        )
    })

  const job = <T>(start: (jobs: typeof jobsModule, place: jobsModule.JobPlace) => Job<T>): Job<T> =>
    lazyJob(async () => start(await import('../files/client-jobs.ts'), { ...opened, makeWorker: makeJobWorker }))

  const files: ClientFiles = {
    import: (source, options) => job((jobs, place) => jobs.importFrom(place, source, options)),
    export: (format, options) => job((jobs, place) => jobs.exportAs(place, format, options)),
  }
  const upkeep: ClientUpkeep = {
    health: later((methods) => methods.health),
    persist: later((methods) => methods.persist),
    retain: later((methods) => methods.retain),
    usage: ({ key, largest } = {}) => whole.usage(key, { largest }),
    flush: whole.flush,
    verify: (options) => job((jobs, place) => jobs.verify(place, options)),
    repair: (options) => job((jobs, place) => jobs.repair(place, options)),
    reclaim: (options) => job((jobs, place) => jobs.reclaim(place, options)),
    changeEncryption: (to, options) => job((jobs, place) => jobs.changeEncryption(place, to, options)),
  }
  // A history of 100,000 messages in one answer would keep the page busy while it is copied: it is read in pages.
  const store: SessionStore = { ...whole, getHistory: later((methods) => methods.getHistory), close }
  return {
    name,
    store,
    files,
    upkeep,
    blobs: { put: whole.putBlob, get: whole.getBlob },
    session: later((methods) => methods.session) as SessionClient['session'],
    mainSession: later((methods) => methods.mainSession),
    sessions: (query = {}) => live((methods, source) => methods.followSessions(query, source)),
    listSessions: whole.listSessions,
    search: later((methods) => methods.search),
    delete: whole.delete,
    undelete: whole.undelete,
    purge: whole.purge,
    lead: later((methods) => methods.lead) as SessionClient['lead'],
    leadership: () => live((methods, source) => methods.followLeadership(source)),
    subscribe: feed.subscribe,
    close,
    [Symbol.asyncDispose]: close,
  }
}
