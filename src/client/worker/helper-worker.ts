import { SessionError } from '../../contract/errors.ts'
import type { FailedMessage, PongMessage, ProtocolVersion, ReadyMessage } from '../../contract/worker-protocol.ts'
import type { WorkerLike } from './connect-worker.ts'
import { onWorkerGone } from './page-lock.ts'

const protocol: ProtocolVersion = 1
const pingMs = 5000
/** Pings without any answer after which a worker counts as hung. Its death is known at once, by its lock. */
const patience = 6

/** What the first message to every such worker has. */
export type StartField = 'protocol' | 'blockedAfterMs'

/** A worker that runs alongside the one of the store, with a port of its own: for jobs, the search or sync. */
export interface HelperWorker<Command> {
  say(command: Command): void
  /** Whether something is waited for: only then it has to show that it lives. */
  watch(isWaiting: boolean): void
  /** Ends it without a word to `onLost`. */
  end(): void
}

export interface HelperWorkerOptions<Command, Reply> {
  readonly worker: WorkerLike
  /** What it is called where it does not start. */
  readonly called: string
  /** Its first message, but for what every such message has. */
  readonly request: object
  /** What goes along with that. */
  readonly transfer?: readonly Transferable[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** What it says besides that it is ready, and lives. It may ask before it is ready, and is answered by `say`. */
  readonly onReply: (reply: Reply, say: (command: Command) => void) => void
  /** It died, hangs, or its script failed once it was ready. It was ended. */
  readonly onLost: (reason: string) => void
}

/** Starts one. Ends it and rejects with StorageUnavailable when it isn't ready in time. */
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
      // Before the page gives up, so that it can say that another tab is in the way.
      worker.postMessage({ ...request, protocol, blockedAfterMs: timeoutMs * 0.75 }, [port2, ...transfer])
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
