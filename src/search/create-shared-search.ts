import { errorOfWire, isSessionError, SessionError } from '../contract/errors.ts'
import type { ChangeSink } from '../contract/change.ts'
import type { SearchHit, SearchProgress, SearchRequest } from '../contract/search.ts'
import type { WireError } from '../contract/worker-protocol.ts'
import type { SearchService } from './create-search-service.ts'

/** A search that has its index in common with other tabs. */
export type SharedSearch = Pick<SearchService, 'search' | 'recheck' | 'close'> & {
  /** A session changed. */
  readonly hear: ChangeSink
}

export interface SharedSearchOptions {
  /** Name of the database. */
  readonly name: string
  /** Loads the index. @param mayWrite - whether it is the one that is stored */
  open(mayWrite: boolean): Promise<SearchService>
  /** Default: those of this realm, where it has any. */
  readonly locks?: LockManager | undefined
}

/** How long the keeper may be silent about a question. A tab that the system has frozen is silent for ever. */
const silenceMs = 1000
const signOfLifeMs = 300

type Said =
  | { readonly keepsession: 'ask'; readonly from: string; readonly id: number; readonly request: SearchRequest }
  /** The question is being worked on, and what it waits for. */
  | { readonly keepsession: 'heard'; readonly to: string; readonly id: number; readonly progress?: SearchProgress }
  | { readonly keepsession: 'hits'; readonly to: string; readonly id: number; readonly hits: readonly SearchHit[] }
  | { readonly keepsession: 'error'; readonly to: string; readonly id: number; readonly error: WireError }
  /** There is a new keeper. What the one before had not answered is to be asked again. */
  | { readonly keepsession: 'keeper' }
  | { readonly keepsession: 'recheck' }

interface Question {
  readonly request: SearchRequest
  readonly onProgress: ((progress: SearchProgress) => void) | undefined
  readonly resolve: (hits: readonly SearchHit[]) => void
  readonly reject: (error: unknown) => void
  timer?: ReturnType<typeof setTimeout>
}

/**
 * One of all tabs keeps the index: it holds a Web Lock, indexes, stores, and answers the others over a BroadcastChannel. So the index is in
 * memory once, and written by one. When the keeper is gone the next one loads what it stored. Whoever gets no answer loads it too, and
 * keeps it to itself; and so does everybody where there are no locks.
 */
export function createSharedSearch({ name, open, locks = locksHere() }: SharedSearchOptions): SharedSearch {
  const me = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const channel = openChannel(`keepsession:${name}:search`)
  const questions = new Map<number, Question>()
  const ending = new AbortController()
  let lastId = 0
  let isKeeper = false
  let own: Promise<SearchService> | undefined
  let release: () => void = () => undefined

  let isClosed = false
  const say = (message: Said): void => {
    // A closed channel throws.
    if (!isClosed) channel?.postMessage(message)
  }

  const service = (): Promise<SearchService> =>
    (own ??= open(isKeeper).catch((error: unknown) => {
      own = undefined
      throw error
    }))

  /** Holds the lock until the end. */
  const keep = async (lock: Lock | null): Promise<boolean> => {
    if (lock === null || ending.signal.aborted) return false
    const released = new Promise<void>((resolve) => (release = resolve))
    // What it loaded for itself is not what is stored, and nobody else stores it now.
    const before = own
    own = undefined
    isKeeper = true
    await before?.then((one) => one.close(), () => undefined)
    say({ keepsession: 'keeper' })
    for (const [id, question] of questions) answerMyself(id, question)
    // Loaded before anybody asks, and from here on kept current.
    service().catch(() => undefined)
    settled()
    await released
    return true
  }

  let settled: () => void = () => undefined
  /** Resolves when it is known who keeps the index. */
  const settling = new Promise<void>((resolve) => (settled = resolve))
  const request = async (): Promise<void> => {
    if (locks === undefined || channel === undefined) return
    const lockName = `keepsession:${name}:search`
    if (await locks.request(lockName, { ifAvailable: true }, keep)) return
    settled()
    await locks.request(lockName, { signal: ending.signal }, keep)
  }
  // Refused in opaque origins, or ended.
  request().catch(() => undefined).finally(settled)

  function answerMyself(id: number, { request, onProgress, resolve, reject, timer }: Question): void {
    clearTimeout(timer)
    questions.delete(id)
    service().then((one) => one.search(request, onProgress)).then(resolve, reject)
  }

  /** Leaves the index to another tab, for good. */
  function resign(): void {
    isKeeper = false
    release()
  }

  function wait(id: number, question: Question): void {
    clearTimeout(question.timer)
    question.timer = setTimeout(() => answerMyself(id, question), silenceMs)
  }

  async function answer({ from: to, id, request }: Said & { readonly keepsession: 'ask' }): Promise<void> {
    const heard = (): void => say({ keepsession: 'heard', to, id })
    heard()
    const signs = setInterval(heard, signOfLifeMs)
    try {
      say({ keepsession: 'hits', to, id, hits: await (await service()).search(request, (progress) => say({ keepsession: 'heard', to, id, progress })) })
    } catch (error) {
      // That this tab closes is no answer: the next keeper is asked.
      if (ending.signal.aborted) return
      // Newer code has the database now: a tab that may not read it keeps no index for others. The next keeper is asked.
      if (isSessionError(error, 'VersionConflict')) return resign()
      const { name, message } = error as Error
      say({ keepsession: 'error', to, id, error: { name, message } })
    } finally {
      clearInterval(signs)
    }
  }

  const onSaid = ({ data }: MessageEvent<Said>): void => {
    if (data.keepsession === 'ask') {
      if (isKeeper && !ending.signal.aborted) void answer(data)
    } else if (data.keepsession === 'keeper') {
      for (const [id, question] of questions) ask(id, question)
    } else if (data.keepsession === 'recheck') {
      if (isKeeper) void own?.then((one) => one.recheck(), () => undefined)
    } else if (data.to === me) {
      const question = questions.get(data.id)
      if (question === undefined) return
      if (data.keepsession === 'heard') {
        if (data.progress !== undefined) question.onProgress?.(data.progress)
        return wait(data.id, question)
      }
      clearTimeout(question.timer)
      questions.delete(data.id)
      if (data.keepsession === 'hits') question.resolve(data.hits)
      else question.reject(errorOfWire(data.error))
    }
  }
  if (channel !== undefined) channel.onmessage = onSaid

  function ask(id: number, question: Question): void {
    wait(id, question)
    say({ keepsession: 'ask', from: me, id, request: question.request })
  }

  return {
    search: async (request, onProgress) => {
      await settling
      if (ending.signal.aborted) throw closedError()
      if (own !== undefined || isKeeper || channel === undefined || locks === undefined) return (await service()).search(request, onProgress)
      return new Promise((resolve, reject) => {
        const question: Question = { request, onProgress, resolve, reject }
        questions.set(++lastId, question)
        ask(lastId, question)
      })
    },
    hear: (change) => void own?.then((one) => one.hear(change), () => undefined),
    recheck: () => {
      if (own === undefined) say({ keepsession: 'recheck' })
      else void own.then((one) => one.recheck(), () => undefined)
    },
    close: async () => {
      ending.abort()
      for (const { reject, timer } of questions.values()) {
        clearTimeout(timer)
        reject(closedError())
      }
      questions.clear()
      await own?.then((one) => one.close(), () => undefined)
      release()
      isClosed = true
      channel?.close()
    },
  }
}

const closedError = (): SessionError => new SessionError('StorageClosed', 'The search was closed before it was answered. Open the store again.')

/** Declared by the types, yet absent outside of secure contexts. */
const locksHere = (): LockManager | undefined => (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks

/** Absent in old browsers, refused in opaque origins. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
    return channel
  } catch {
    return undefined
  }
}
