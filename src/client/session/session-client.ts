import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ClientFiles, ClientUpkeep, SessionClient } from '../client-contract.ts'
import { createCollection } from '../collection.ts'
import type { JobStore } from '../files/client-jobs.ts'
import { lazyJob } from '../files/lazy-job.ts'
import type { Job } from '../job-handle.ts'
import type { ClientParts } from '../opening/client-parts.ts'
import type { LaterMethods } from '../opening/later-methods.ts'
import type * as laterModule from '../opening/later-parts.ts'
import type { OpenedClient } from '../opening/opened-client.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'
import { createClientCalls } from './client-calls.ts'

/** Code that a client loads on demand. */
export interface LaterParts extends Omit<ClientParts, 'runTask'> {
  load(): Promise<typeof laterModule>
}

/** Creates a client of an open store. Code that an app may never need is loaded when it is first called. */
export function createSessionClient(opened: OpenedClient, parts: LaterParts): SessionClient {
  const { store: whole, name, feed, page } = opened
  let closing: Promise<void> | undefined
  let loading: Promise<LaterMethods> | undefined

  const jobStore: JobStore = { ...opened, makeWorker: makeJobWorker }
  const runTask: ClientParts['runTask'] = async (task, { signal, onProgress = () => undefined }) =>
    (await parts.load()).runJob(jobStore, task, signal, onProgress)
  const load = (): Promise<LaterMethods> =>
    (loading ??= parts.load().then(
      ({ createLaterMethods }) => createLaterMethods(opened, { ...parts, runTask }, () => closing),
      (error: unknown) => {
        // The next call tries to load it again.
        loading = undefined
        throw error
      },
    ))

  const [later, live, refuse] = createClientCalls(whole, feed, () => closing, load)

  async function end(): Promise<void> {
    // A part that was never loaded has nothing to end.
    await (await loading?.catch(() => undefined))?.end()
    await whole.close()
    feed.close()
    page.release()
  }
  const close = (): Promise<void> => (closing ??= end())

  const job = <T>(start: (jobs: typeof laterModule) => Job<T>): Job<T> =>
    lazyJob(async () => {
      await refuse()
      return start(await parts.load())
    })

  const files: ClientFiles = {
    import: (source, options) => job((jobs) => jobs.importFrom(jobStore, source, options)),
    export: (format, options) => job((jobs) => jobs.exportAs(jobStore, format, options)),
  }
  const upkeep: ClientUpkeep = {
    health: later((methods) => methods.health),
    persist: later((methods) => methods.persist),
    retain: later((methods) => methods.retain),
    usage: ({ key, largest } = {}) => whole.usage(key, { largest }),
    flush: whole.flush,
    verify: (options) => job((jobs) => jobs.verify(jobStore, options)),
    repair: (options) => job((jobs) => jobs.repair(jobStore, options)),
    reclaim: (options) => job((jobs) => jobs.reclaim(jobStore, options)),
    changeEncryption: (to, options) => job((jobs) => jobs.changeEncryption(jobStore, to, options)),
  }
  // The history is read in pages: copying 100,000 messages in one answer would block the page.
  const store: SessionStore = { ...whole, getHistory: later((methods) => methods.getHistory), close }
  return {
    name,
    store,
    files,
    upkeep,
    blobs: { put: whole.putBlob, get: whole.getBlob },
    session: later((methods) => methods.session) as SessionClient['session'],
    mainSession: later((methods) => methods.mainSession),
    sessions: (query = {}) => live((methods, ...followed) => methods.followSessions(query, ...followed)),
    listSessions: whole.listSessions,
    search: later((methods) => methods.search),
    collection: (collection) => createCollection(collection, whole, feed),
    delete: whole.delete,
    undelete: whole.undelete,
    purge: whole.purge,
    lead: later((methods) => methods.lead) as SessionClient['lead'],
    leadership: () => live((methods, ...followed) => methods.followLeadership(...followed)),
    subscribe: feed.subscribe,
    closed: feed.ending,
    close,
    [Symbol.asyncDispose]: close,
  }
}
