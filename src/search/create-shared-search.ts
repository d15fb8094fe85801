import type { ChangeSink } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import { namesOf } from '../domain/names-of.ts'
import { createAnswerer } from './answer-tabs.ts'
import type { SearchService } from './create-search-service.ts'
import { holdKeeperLock } from './keeper-lock.ts'
import { createOpenQuestions } from './open-questions.ts'
import { openSearchChannel, type SearchMessage } from './search-messages.ts'

/** A search that shares its index with other tabs. */
export type SharedSearch = Pick<SearchService, 'search' | 'recheck' | 'close'> & {
  /** A session changed. */
  readonly receive: ChangeSink
}

export interface SharedSearchOptions {
  /** Name of the database. */
  readonly name: string
  /** Loads the index. @param mayWrite - whether this tab stores the index */
  open(mayWrite: boolean): Promise<SearchService>
  /** Default: those of this realm, where it has any. */
  readonly locks?: LockManager | undefined
}

/**
 * One of all tabs is the keeper of the index: it holds a Web Lock, indexes, stores, and answers the others over a
 * BroadcastChannel. So there is one index in memory, and one tab that writes it. When the keeper is closed, the next
 * one loads the stored index. A tab that gets no answer loads the index for itself, and so does every tab where there
 * are no locks.
 */
export function createSharedSearch({ name, open, locks = locksHere() }: SharedSearchOptions): SharedSearch {
  const me = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const channel = openSearchChannel(`${namesOf(name)}:search`)
  const ending = new AbortController()
  let own: Promise<SearchService> | undefined
  let isClosed = false

  const say = (message: SearchMessage): void => {
    // A closed channel throws.
    if (!isClosed) channel?.postMessage(message)
  }

  const service = (): Promise<SearchService> =>
    (own ??= open(lock.isKeeper()).catch((error: unknown) => {
      own = undefined
      throw error
    }))

  const search: SearchService['search'] = async (request, onProgress) => (await service()).search(request, onProgress)
  const questions = createOpenQuestions(me, say, search)

  const lock = holdKeeperLock(`${namesOf(name)}:search`, channel && locks, ending.signal, async () => {
    // An index that this tab loaded for itself is replaced by the stored one, which only this tab writes from now on.
    const before = own
    own = undefined
    await before?.then(
      (one) => one.close(),
      () => undefined,
    )
    say({ keepsession: 'keeper' })
    questions.answerAll()
    // The index is loaded before the first search, and follows all changes from here on.
    service().catch(() => undefined)
  })

  const answer = createAnswerer({ say, search, resign: lock.resign, signal: ending.signal })

  const receive = ({ data }: MessageEvent<SearchMessage>): void => {
    if (data.keepsession === 'ask') {
      if (lock.isKeeper() && !ending.signal.aborted) void answer(data)
    } else if (data.keepsession === 'keeper') {
      questions.askAgain()
    } else if (data.keepsession === 'recheck') {
      if (lock.isKeeper())
        void own?.then(
          (one) => one.recheck(),
          () => undefined,
        )
    } else if (data.to === me) {
      questions.receive(data)
    }
  }
  if (channel !== undefined) channel.onmessage = receive

  return {
    search: async (request, onProgress) => {
      await lock.settling
      if (ending.signal.aborted) throw closedError()
      if (own !== undefined || lock.isKeeper() || channel === undefined || locks === undefined)
        return search(request, onProgress)
      return questions.ask(request, onProgress)
    },
    receive: (change) =>
      void own?.then(
        (one) => one.receive(change),
        () => undefined,
      ),
    recheck: () => {
      if (own === undefined) say({ keepsession: 'recheck' })
      else
        void own.then(
          (one) => one.recheck(),
          () => undefined,
        )
    },
    close: async () => {
      ending.abort()
      questions.rejectAll(closedError)
      await own?.then(
        (one) => one.close(),
        () => undefined,
      )
      lock.release()
      isClosed = true
      channel?.close()
    },
  }
}

const closedError = (): SessionError =>
  new SessionError('StorageClosed', 'The search was closed before it was answered. Open the store again.')

/** The types declare it, but it is absent outside of secure contexts. */
const locksHere = (): LockManager | undefined =>
  (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks
