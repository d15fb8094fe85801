import { reviveError, SessionError } from '../contract/errors.ts'
import type { ProtocolVersion, ReadyMessage } from '../contract/worker-protocol.ts'
import type { WorkerLike } from '../client/connect-worker.ts'
import { onWorkerGone } from '../client/page-lock.ts'
import type { OpenSyncMessage, SyncCommand, SyncPresence, SyncReply, SyncSnapshot } from '../sync/worker-protocol.ts'
import type { SyncEngine } from './engine.ts'

const protocol: ProtocolVersion = 1
const startMs = 10_000
const pingMs = 5000
/** Pings without any answer after which a worker counts as hung. Its death is known at once, by its lock. */
const patience = 6

export interface WorkerEngineOptions {
  readonly request: Omit<OpenSyncMessage, 'keepsession' | 'protocol' | 'blockedAfterMs'>
  readonly token: (() => string | Promise<string>) | undefined
  readonly onSnapshot: (snapshot: SyncSnapshot) => void
  readonly onPresence: (presence: SyncPresence) => void
}

/** Has a worker sync the database. Ends it and rejects when it doesn't start in time. */
export async function startWorkerEngine(worker: WorkerLike, { request, token, onSnapshot, onPresence }: WorkerEngineOptions): Promise<SyncEngine> {
  const { port1: port, port2 } = new MessageChannel()
  const waiting = new Map<number, { readonly resolve: (value: never) => void; readonly reject: (error: unknown) => void }>()
  let lastId = 0
  let unanswered = 0
  let onLost: (reason: string) => void = () => undefined
  const lost = new Promise<string>((resolve) => (onLost = resolve))
  let stopWatching: () => void = () => undefined
  let pinging: ReturnType<typeof setInterval> | undefined
  let isOver = false

  const say = (command: SyncCommand): void => port.postMessage(command)
  const lose = (reason: string): void => {
    if (isOver) return
    end()
    onLost(reason)
  }
  const onError = (event: Event): void => lose((event as ErrorEvent).message || 'its script is missing, blocked or broken')
  function end(): void {
    isOver = true
    clearInterval(pinging)
    stopWatching()
    worker.removeEventListener('error', onError)
    worker.removeEventListener('messageerror', onError)
    port.close()
    worker.terminate()
    for (const { reject } of waiting.values()) reject(new SessionError('WorkerLost', 'The worker that syncs has ended. Nothing is lost; ask again.'))
    waiting.clear()
  }
  const answerToken = async (id: number): Promise<void> => {
    try {
      say({ keepsession: 'token', id, token: (await token?.()) ?? '' })
    } catch (error) {
      say({ keepsession: 'no-token', id, message: (error as Error).message })
    }
  }

  worker.addEventListener('error', onError)
  worker.addEventListener('messageerror', onError)
  const started = new Promise<ReadyMessage>((resolve, reject) => {
    lost.then((reason) => reject(new SessionError('StorageUnavailable', `The sync worker did not start: ${reason}.`)), reject)
    port.addEventListener('message', ({ data }: MessageEvent<SyncReply>) => {
      unanswered = 0
      if (data.keepsession === 'snapshot') onSnapshot(data.snapshot)
      else if (data.keepsession === 'presence') onPresence(data.presence)
      else if (data.keepsession === 'ask-token') void answerToken(data.id)
      else if (data.keepsession === 'done' || data.keepsession === 'error') {
        const one = waiting.get(data.id)
        waiting.delete(data.id)
        if (data.keepsession === 'done') one?.resolve(data.value as never)
        else one?.reject(reviveError(Object.assign(new Error(data.error.message), data.error)))
      } else if (data.keepsession === 'ready') {
        if (data.protocol === protocol) resolve(data)
        else lose('it is of another release')
      } else if (data.keepsession === 'failed') lose(data.message)
    })
  })
  port.start()
  const timer = setTimeout(() => lose(`it did not answer within ${startMs} ms`), startMs)
  const { transport } = request
  worker.postMessage({ ...request, keepsession: 'open-sync', protocol, blockedAfterMs: startMs * 0.75 } satisfies OpenSyncMessage, [port2, ...(transport.kind === 'port' ? [transport.port] : [])])
  const { lock } = await started.finally(() => clearTimeout(timer))
  stopWatching = onWorkerGone(lock, () => lose('it has ended'))
  pinging = setInterval(() => {
    if (unanswered++ >= patience) lose('it no longer answers')
    else say({ keepsession: 'ping' })
  }, pingMs)

  return {
    lost,
    end,
    watch: (keys) => say({ keepsession: 'watch', keys }),
    setTyping: (key, isTyping) => say({ keepsession: 'typing', key, isTyping }),
    call: (method, signal) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(new SessionError('WorkerLost', 'The worker that syncs has ended. Nothing is lost; ask again.'))
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        signal?.addEventListener('abort', () => say({ keepsession: 'cancel', id }), { once: true })
        say({ keepsession: 'call', id, method })
        if (signal?.aborted === true) say({ keepsession: 'cancel', id })
      }),
  }
}
