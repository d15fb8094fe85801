import { errorOfWire, SessionError } from '../contract/errors.ts'
import type { CallOptions, SyncCommand, SyncReply } from '../sync/sync-protocol.ts'
import type { CallSync } from './sync-engine.ts'

interface WaitingCall {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: CallOptions['onProgress']
}

/** The calls that a worker has not answered. */
export interface WorkerCalls {
  /** Makes a call. @param say - sends a command to the worker */
  ask(say: (command: SyncCommand) => void, ...call: Parameters<CallSync>): Promise<never>
  /** Takes an answer. What is none is ignored. */
  handle(reply: SyncReply): void
  /** The worker has ended: no call is answered any more. */
  giveUp(): void
}

export function createWorkerCalls(): WorkerCalls {
  const waiting = new Map<number, WaitingCall>()
  let lastId = 0
  let isOver = false
  const take = (id: number): WaitingCall | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    return one
  }
  return {
    ask: (say, call, { signal, onProgress } = {}) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(lostError())
        const id = ++lastId
        waiting.set(id, { resolve: resolve as (value: never) => void, reject, onProgress })
        signal?.addEventListener('abort', () => say({ keepsession: 'cancel', id }), { once: true })
        say({ keepsession: 'call', id, call })
        if (signal?.aborted === true) say({ keepsession: 'cancel', id })
      }),
    handle: (reply) => {
      if (reply.keepsession === 'progress') waiting.get(reply.id)?.onProgress?.(reply.progress)
      else if (reply.keepsession === 'done') take(reply.id)?.resolve(reply.value as never)
      else if (reply.keepsession === 'error') take(reply.id)?.reject(errorOfWire(reply.error))
    },
    giveUp: () => {
      isOver = true
      for (const { reject } of waiting.values()) reject(lostError())
      waiting.clear()
    },
  }
}

const lostError = (): SessionError =>
  new SessionError('WorkerLost', 'The worker that syncs has ended. Nothing is lost; try again.')
