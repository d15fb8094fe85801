import type { Encryption } from '../contract/encryption.ts'
import { reviveError, SessionError } from '../contract/errors.ts'
import type { SearchCommand, SearchHit, SearchProgress, SearchReply, SearchRequest } from '../contract/search.ts'
import type { ProtocolVersion, ReadyMessage } from '../contract/worker-protocol.ts'
import type { WorkerLike } from './connect-worker.ts'
import { onWorkerGone } from './page-lock.ts'

const protocol: ProtocolVersion = 1

const pingMs = 5000
/** Pings without any answer after which a worker counts as hung. Its death is known at once, by its lock. */
const patience = 6
/** How long a worker may take to store what it has indexed. */
const closingMs = 2000

/** A worker that searches. */
export interface SearchWorker {
  /** @throws WorkerLost when the worker dies or hangs, and what the search rejects with */
  search(request: SearchRequest, onProgress?: (progress: SearchProgress) => void): Promise<readonly SearchHit[]>
  recheck(): void
  /** Whether it died or hung. */
  isLost(): boolean
  /** Lets it store what it has, and ends it. */
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (hits: readonly SearchHit[]) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: ((progress: SearchProgress) => void) | undefined
}

/** Has a worker open the database. Ends it and rejects when it doesn't in time. */
export async function startSearchWorker(worker: WorkerLike, name: string, timeoutMs: number, encryption?: Encryption): Promise<SearchWorker> {
  const { port1: port, port2 } = new MessageChannel()
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let unanswered = 0
  let isLost = false
  let pinging: ReturnType<typeof setInterval> | undefined
  let stopWatching: () => void = () => undefined
  let onClosed: () => void = () => undefined
  let onStart: (reply: SearchReply) => void = () => undefined
  let lose: (reason: string) => void = () => undefined

  const say = (command: SearchCommand): void => port.postMessage(command)
  const onError = (event: Event): void => lose((event as ErrorEvent).message || 'its script is missing, blocked or broken')

  /** @param error - what searches under way reject with */
  function end(error: SessionError): void {
    isLost = true
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    clearInterval(pinging)
    stopWatching()
    worker.removeEventListener('error', onError)
    worker.removeEventListener('messageerror', onError)
    port.close()
    worker.terminate()
    onClosed()
  }
  function settle(id: number): Waiting | undefined {
    const one = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) {
      clearInterval(pinging)
      pinging = undefined
    }
    return one
  }
  function tick(): void {
    if (unanswered++ >= patience) lose('it no longer answers')
    else say({ keepsession: 'ping' })
  }

  worker.addEventListener('error', onError)
  worker.addEventListener('messageerror', onError)
  port.addEventListener('message', ({ data }: MessageEvent<SearchReply>) => {
    unanswered = 0
    if (data.keepsession === 'hits') settle(data.id)?.resolve(data.hits)
    else if (data.keepsession === 'error') settle(data.id)?.reject(reviveError(Object.assign(new Error(data.error.message), data.error)))
    else if (data.keepsession === 'indexing') waiting.get(data.id)?.onProgress?.(data.progress)
    else if (data.keepsession === 'closed') onClosed()
    else onStart(data)
  })
  port.start()

  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const { lock } = await new Promise<ReadyMessage>((resolve, reject) => {
      lose = (reason) => reject(new SessionError('StorageUnavailable', `The search worker did not start: ${reason}.`))
      timer = setTimeout(() => lose(`it did not answer within ${timeoutMs} ms`), timeoutMs)
      onStart = (reply) => {
        if (reply.keepsession === 'ready' && reply.protocol === protocol) resolve(reply)
        else if (reply.keepsession === 'ready' || reply.keepsession === 'failed') lose(reply.keepsession === 'failed' ? reply.message : 'it is of another release')
      }
      worker.postMessage({ keepsession: 'open-search', protocol, name, blockedAfterMs: timeoutMs * 0.75, encryption } satisfies SearchCommand, [port2])
    })
    lose = (reason) => {
      if (isLost) return
      end(lostError(reason))
    }
    stopWatching = onWorkerGone(lock, () => lose('it has ended'))
  } catch (error) {
    end(error as SessionError)
    throw error
  } finally {
    clearTimeout(timer)
  }

  return {
    search: (request, onProgress) =>
      new Promise((resolve, reject) => {
        if (isLost) return reject(lostError('it has ended'))
        waiting.set(++lastId, { resolve, reject, onProgress })
        unanswered = 0
        pinging ??= setInterval(tick, pingMs)
        say({ keepsession: 'search', id: lastId, request })
      }),
    recheck: () => say({ keepsession: 'recheck' }),
    isLost: () => isLost,
    close: async () => {
      if (isLost) return
      stopWatching()
      let giveUp: ReturnType<typeof setTimeout> | undefined
      await new Promise<void>((resolve) => {
        onClosed = resolve
        giveUp = setTimeout(resolve, closingMs)
        say({ keepsession: 'close' })
      })
      clearTimeout(giveUp)
      end(new SessionError('StorageClosed', 'The search was closed before it was answered. Open the store again.'))
    },
  }
}

const lostError = (reason: string): SessionError => new SessionError('WorkerLost', `The worker of the search was lost: ${reason}. Search again.`)
