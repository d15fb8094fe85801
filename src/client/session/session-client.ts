import type { SessionStore } from '../../contract/store.ts'
import type { ClientParts } from '../opening/client-parts.ts'
import type * as later from '../opening/later-parts.ts'
import type { FileJobName } from '../files/file-jobs.ts'
import { laterJob } from '../files/later-job.ts'
import type { LaterMethods } from '../opening/later-methods.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'
import { methodNames } from '../opening/options-index.ts'
import type { OpenedClient } from '../opening/opened-client.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'
import type { LiveQuery, SessionClient } from '../types.ts'

// As one text, because a page loads this at once.
const fileJobNames = 'importJsonl importPicoClaw importFiles importAgently exportAgently exportFiles changeEncryption verifyStore repairStore compactStore'.split(' ') as readonly FileJobName[]
// In place of the store's own, which gives all of it in one answer.
const laterNames = ['getHistory', 'session', 'mainSession', 'lead', 'search', 'health', 'persist', 'retain'] as const

/** What a client needs for some of its work only, and so may load later. */
export interface LaterParts extends ClientParts {
  load(): Promise<typeof later>
}

/** Makes what an app works with, of a store that is open. */
export function createSessionClient(opened: OpenedClient, parts: LaterParts): SessionClient {
  const { store, name, feed, page } = opened
  let closing: Promise<void> | undefined
  let loading: Promise<LaterMethods> | undefined

  const load = (): Promise<LaterMethods> =>
    (loading ??= parts.load().then(
      ({ createLaterMethods }) => createLaterMethods(opened, parts, () => closing),
      (error: unknown) => {
        // What failed to load once may load the next time.
        loading = undefined
        throw error
      },
    ))

  async function end(): Promise<void> {
    // What was never loaded has nothing to end.
    await (await loading?.catch(() => undefined))?.end()
    await store.close()
    feed.close()
    page.release()
  }
  const close = (): Promise<void> => (closing ??= end())

  const live = <T>(follow: (later: LaterMethods, source: LiveSource<T>) => () => void): LiveQuery<T> =>
    createLiveQuery(feed.ending, (source) => {
      const following = load().then((later) => follow(later, source))
      following.catch(source.fail)
      return () => void following.then((stop) => stop(), () => undefined)
    })

  const loadFileJobs = () => import('../files/file-jobs.ts')
  const jobs = Object.fromEntries(
    fileJobNames.map((kind) => [kind, (...given: readonly unknown[]) => laterJob(async () => (await loadFileJobs()).startFileJob({ ...opened, makeWorker: makeJobWorker }, kind, given))]),
  ) as unknown as Pick<SessionClient, FileJobName>

  const laterMethods = Object.fromEntries(
    laterNames.map((method) => [method, async (...given: readonly unknown[]) => ((await load())[method] as (...all: readonly unknown[]) => unknown)(...given)]),
  ) as unknown as Pick<SessionClient, (typeof laterNames)[number]>
  const methods = Object.fromEntries(methodNames.map((method) => [method, store[method].bind(store)])) as unknown as SessionStore
  return {
    ...methods,
    name,
    sessions: (query = {}) => live((later, source) => later.followSessions(query, source)),
    leadership: () => live((later, source) => later.followLeadership(source)),
    subscribe: feed.subscribe,
    ...laterMethods,
    ...jobs,
    async *exportPicoClaw(options) {
      yield* (await loadFileJobs()).exportPicoClaw(store, options)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
