import { SessionError } from '../../contract/errors.ts'
import type { FailedMessage, PongMessage, ProtocolVersion, ReadyMessage } from '../../contract/worker-protocol.ts'
import { blockedAfter } from './blocked-after.ts'
import type { WorkerLike } from './connect-worker.ts'
import { onWorkerGone } from './page-lock.ts'

const protocol: ProtocolVersion = 1
const pingMs = 5000
/** Unanswered pings after which a worker counts as hung. Its death is noticed at once, by its lock. */
const patience = 6

/** Fields of the first message to every such worker. */
export type StartField = 'protocol' | 'blockedAfterMs'

/** A worker that runs alongside the one of the store, with a port of its own: for jobs, the search or sync. */
export interface HelperWorker<Command> {
  say(command: Command): void
  /** Sets whether an answer is pending. Only then the worker has to prove that it is alive. */
  watch(isWaiting: boolean): void
  /** Ends the worker without calling `onLost`. */
  end(): void
}

export interface HelperWorkerOptions<Command, Reply> {
  readonly worker: WorkerLike
  /** Names the worker in the error if it does not start. */
  readonly called: string
  /** The first message, without the fields that all have in common. */
  readonly request: object
  /** What is transferred with it. */
  readonly transfer?: readonly Transferable[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /**
   * Receives its messages, except the common ones. The worker may ask for something before it is ready, and is answered
   * by `say`.
   */
  readonly onReply: (reply: Reply, say: (command: Command) => void) => void
  /** Called after it was ready and then died, hung, or its script failed; by then it was ended. */
  readonly onLost: (reason: string) => void
}

/** Starts a helper worker. If it isn't ready in time, ends it and rejects with StorageUnavailable. */
export async function startHelperWorker<Command extends object, Reply extends object>({
  worker,
  called,
  request,
  transfer = [],
  timeoutMs,
  signal,
  onReply,
  onLost,
}: HelperWorkerOptions<Command, Reply>): Promise<HelperWorker<Command>> {
  const { port1: port, port2 } = new MessageChannel()
  let isOver = false
  let unanswered = 0
  let pinging: ReturnType<typeof setInterval> | undefined
  let stopWatching: () => void = () => undefined
  let onReady: (ready: ReadyMessage) => void = () => undefined
  let onFailed = onLost

  const say = (command: Command): void => port.postMessage(command)
  const end = (): void => {
    isOver = true
    clearInterval(pinging)
    stopWatching()
    worker.removeEventListener('error', onError)
    worker.removeEventListener('messageerror', onError)
    port.close()
    worker.terminate()
  }
  const lose = (reason: string): void => {
    if (isOver) return
    end()
    onFailed(reason)
  }
  const onError = (event: Event): void =>
    lose((event as ErrorEvent).message || 'its script is missing, blocked or broken')
  const notStarted = (reason: string): SessionError =>
    new SessionError('StorageUnavailable', `The ${called} did not start: ${reason}.`)
  const onAbort = (): void => lose('it was cancelled')
  const tick = (): void => {
    if (unanswered++ >= patience) lose('it no longer answers')
    else port.postMessage({ keepsession: 'ping' })
  }

  worker.addEventListener('error', onError)
  worker.addEventListener('messageerror', onError)
  port.addEventListener('message', ({ data }: MessageEvent<Reply | ReadyMessage | FailedMessage | PongMessage>) => {
    unanswered = 0
    const { keepsession } = data as ReadyMessage | FailedMessage | PongMessage
    if (keepsession === 'failed') lose((data as FailedMessage).message)
    else if (keepsession === 'ready' && (data as ReadyMessage).protocol !== protocol) lose('it is of another release')
    else if (keepsession === 'ready') onReady(data as ReadyMessage)
    else if (keepsession !== 'pong') onReply(data as Reply, say)
  })
  port.start()

  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const { lock } = await new Promise<ReadyMessage>((resolve, reject) => {
      onReady = resolve
      onFailed = (reason) => reject(notStarted(reason))
      timer = setTimeout(() => lose(`it did not answer within ${timeoutMs} ms`), timeoutMs)
      signal?.addEventListener('abort', onAbort)
      worker.postMessage({ ...request, protocol, blockedAfterMs: blockedAfter(timeoutMs) }, [port2, ...transfer])
    })
    if (isOver) throw notStarted('it has ended')
    onFailed = onLost
    stopWatching = onWorkerGone(lock, () => lose('it has ended'))
  } catch (error) {
    end()
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }

  return {
    say,
    watch: (isWaiting) => {
      unanswered = 0
      if (isWaiting && !isOver) pinging ??= setInterval(tick, pingMs)
      else pinging = void clearInterval(pinging)
    },
    end,
  }
}
