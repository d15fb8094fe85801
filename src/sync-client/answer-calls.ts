import { isSessionError } from '../contract/errors.ts'
import type { SyncCall } from '../sync/sync-protocol.ts'
import type { DeviceKeys } from './device-keys.ts'
import type { SentCall, SyncChannelMessage } from './sync-channel.ts'
import type { RunCall } from './sync-engine.ts'

export interface AnswerCallsOptions {
  readonly post: (message: SyncChannelMessage) => void
  /** Loads keys that another tab has left. */
  readonly loadKeys: () => Promise<DeviceKeys>
  /** Makes calls in this tab; absent if this tab does not lead. */
  readonly run: () => RunCall | undefined
}

/** Answers the calls of other tabs, while this one leads. */
export interface CallAnswerer {
  answer(id: string, call: SentCall): Promise<void>
  cancel(id: string): void
}

export function createCallAnswerer({ post, loadKeys, run }: AnswerCallsOptions): CallAnswerer {
  const answering = new Map<string, AbortController>()

  const received = async (call: SentCall): Promise<SyncCall> => {
    if (call[0] !== 'changeKeys') return call
    const { to, from } = await (await loadKeys()).borrow(call[1])
    return [call[0], to, from]
  }
  return {
    answer: async (id, call) => {
      const runHere = run()
      if (runHere === undefined || answering.has(id)) return
      const cancelling = new AbortController()
      answering.set(id, cancelling)
      try {
        const onProgress = (progress: { readonly done: number; readonly total: number }): void =>
          post({ sync: 'progress', id, progress })
        const value = await runHere(await received(call), { signal: cancelling.signal, onProgress })
        post({ sync: 'answer', id, value })
      } catch (error) {
        const { name, message } = error as Error
        // The next engine is asked for what this one did not finish.
        if (!isSessionError(error, 'WorkerLost')) post({ sync: 'refusal', id, error: { name, message } })
      } finally {
        answering.delete(id)
      }
    },
    cancel: (id) => answering.get(id)?.abort(),
  }
}
