import type { WorkerLike } from '../client/worker/connect-worker.ts'
import { type StartField, startHelperWorker } from '../client/worker/helper-worker.ts'
import { errorOfWire, SessionError } from '../contract/errors.ts'
import { afterChange } from '../sync/snapshot-change.ts'
import type { CallOptions, OpenSyncMessage, SyncCommand, SyncPresence, SyncReply } from '../sync/sync-protocol.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'
import type { SyncEngine } from './sync-engine.ts'

const startMs = 10_000

export interface WorkerEngineOptions {
  readonly request: Omit<OpenSyncMessage, 'keepsession' | StartField>
  readonly token: (() => string | Promise<string>) | undefined
  readonly onSnapshot: (snapshot: SyncStanding) => void
  readonly onPresence: (presence: SyncPresence) => void
}

/** Starts sync in a worker. Ends the worker and rejects when it does not start in time. */
export async function startWorkerEngine(
  made: WorkerLike,
  { request, token, onSnapshot, onPresence }: WorkerEngineOptions,
): Promise<SyncEngine> {
  const waiting = new Map<
    number,
    {
      readonly resolve: (value: never) => void
      readonly reject: (error: unknown) => void
      readonly onProgress: CallOptions['onProgress']
    }
  >()
  let lastId = 0
  let isOver = false
  let latest: SyncStanding | undefined
  let onLost: (reason: string) => void = () => undefined
  const lost = new Promise<string>((resolve) => (onLost = resolve))

  const giveUp = (): void => {
    isOver = true
    for (const { reject } of waiting.values()) reject(lostError())
    waiting.clear()
  }
  const answerToken = async (id: number, say: (command: SyncCommand) => void): Promise<void> => {
    try {
      say({ keepsession: 'token', id, token: (await token?.()) ?? '' })
    } catch (error) {
      say({ keepsession: 'no-token', id, message: (error as Error).message })
    }
  }
  const { transport } = request
  const worker = await startHelperWorker<SyncCommand, SyncReply>({
    worker: made,
    called: 'sync worker',
    request: { ...request, keepsession: 'open-sync' } satisfies Omit<OpenSyncMessage, StartField>,
    transfer: transport.kind === 'port' ? [transport.port] : [],
    timeoutMs: startMs,
    onReply: (reply, say) => {
      if (reply.keepsession === 'snapshot') onSnapshot((latest = reply.snapshot))
      else if (reply.keepsession === 'snapshot-change' && latest !== undefined)
        onSnapshot((latest = afterChange(latest, reply.change)))
      else if (reply.keepsession === 'presence') onPresence(reply.presence)
      else if (reply.keepsession === 'ask-token') void answerToken(reply.id, say)
      else if (reply.keepsession === 'progress') waiting.get(reply.id)?.onProgress?.(reply.progress)
      else if (reply.keepsession === 'done' || reply.keepsession === 'error') {
        const one = waiting.get(reply.id)
        waiting.delete(reply.id)
        if (reply.keepsession === 'done') one?.resolve(reply.value as never)
        else one?.reject(errorOfWire(reply.error))
      }
    },
    onLost: (reason) => {
      giveUp()
      onLost(reason)
    },
  })
  // The worker also reports by itself, so that its silence would not be noticed.
  worker.watch(true)

  return {
    lost,
    end: () => {
      worker.end()
      giveUp()
    },
    watch: (keys) => worker.say({ keepsession: 'watch', keys }),
    setTyping: (key, isTyping) => worker.say({ keepsession: 'typing', key, isTyping }),
    call: (call, { signal, onProgress } = {}) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(lostError())
        const id = ++lastId
        waiting.set(id, { resolve: resolve as (value: never) => void, reject, onProgress })
        signal?.addEventListener('abort', () => worker.say({ keepsession: 'cancel', id }), { once: true })
        worker.say({ keepsession: 'call', id, call })
        if (signal?.aborted === true) worker.say({ keepsession: 'cancel', id })
      }),
  }
}

const lostError = (): SessionError =>
  new SessionError('WorkerLost', 'The worker that syncs has ended. Nothing is lost; try again.')
