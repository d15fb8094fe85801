import type { Encryption } from '../../contract/encryption.ts'
import { errorOfWire, SessionError } from '../../contract/errors.ts'
import type {
  OpenSearchMessage,
  SearchCommand,
  SearchHit,
  SearchProgress,
  SearchReply,
  SearchRequest,
} from '../../contract/search.ts'
import type { FailedMessage, PongMessage, ReadyMessage } from '../../contract/worker-protocol.ts'
import type { WorkerLike } from './connect-worker.ts'
import { type StartField, startHelperWorker } from './helper-worker.ts'

/** How long a worker may take to store its index. */
const closingMs = 2000

/** A worker that searches. */
export interface SearchWorker {
  /** @throws WorkerLost when the worker dies or hangs, and what the search rejects with */
  search(request: SearchRequest, onProgress?: (progress: SearchProgress) => void): Promise<readonly SearchHit[]>
  recheck(): void
  /** Whether it died or hung. */
  isLost(): boolean
  /** Lets it store its index, and ends it. */
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (hits: readonly SearchHit[]) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: ((progress: SearchProgress) => void) | undefined
}

/** Has a worker open the database. If it isn't ready in time, ends it and rejects. */
export async function startSearchWorker(
  made: WorkerLike,
  name: string,
  timeoutMs: number,
  encryption?: Encryption,
): Promise<SearchWorker> {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isLost = false
  let isClosing = false
  let onClosed: () => void = () => undefined

  /** @param error - what pending searches reject with */
  const giveUp = (error: SessionError): void => {
    isLost = true
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    onClosed()
  }
  const settle = (id: number): Waiting | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker.watch(false)
    return one
  }
  const worker = await startHelperWorker<SearchCommand, SearchReply>({
    worker: made,
    timeoutMs,
    called: 'search worker',
    request: { keepsession: 'open-search', name, encryption } satisfies Omit<OpenSearchMessage, StartField>,
    onReply: (reply) => {
      if (reply.keepsession === 'hits') settle(reply.id)?.resolve(reply.hits)
      else if (reply.keepsession === 'error') settle(reply.id)?.reject(errorOfWire(reply.error))
      else if (reply.keepsession === 'indexing') waiting.get(reply.id)?.onProgress?.(reply.progress)
      else if (reply.keepsession === 'closed') onClosed()
      else reply satisfies ReadyMessage | FailedMessage | PongMessage
    },
    onLost: (reason) => (isClosing ? onClosed() : giveUp(lostError(reason))),
  })

  return {
    search: (request, onProgress) =>
      new Promise((resolve, reject) => {
        if (isLost) return reject(lostError('it has ended'))
        waiting.set(++lastId, { resolve, reject, onProgress })
        worker.watch(true)
        worker.say({ keepsession: 'search', id: lastId, request })
      }),
    recheck: () => worker.say({ keepsession: 'recheck' }),
    isLost: () => isLost,
    close: async () => {
      if (isLost) return
      isClosing = true
      let timer: ReturnType<typeof setTimeout> | undefined
      await new Promise<void>((resolve) => {
        onClosed = resolve
        timer = setTimeout(resolve, closingMs)
        worker.say({ keepsession: 'close' })
      })
      clearTimeout(timer)
      worker.end()
      giveUp(new SessionError('StorageClosed', 'The search was closed before it was answered. Open the store again.'))
    },
  }
}

const lostError = (reason: string): SessionError =>
  new SessionError('WorkerLost', `The worker of the search was lost: ${reason}. Search again.`)
