import { errorOfWire, isSessionError, type SessionError } from '../contract/errors.ts'
import { createCallAnswerer } from './answer-calls.ts'
import type { DeviceKeys } from './device-keys.ts'
import { createPendingCalls, endedBySignal, type PendingCall, type PendingCalls, whyNotAgain } from './pending-calls.ts'
import type { CallMessage, SyncChannelMessage } from './sync-channel.ts'
import type { CallSync, RunCall } from './sync-engine.ts'

/** The calls of this tab to the one that leads. */
export interface TabCalls {
  /** Asks the tab that leads, this one or another, now or later. */
  readonly ask: CallSync
  handle(message: CallMessage): void
  /**
   * From now on another engine runs the calls, including the pending ones.
   *
   * @param run - absent if the engine is in another tab
   */
  follow(engine: string, run?: RunCall): void
  /** Calls from now on wait for the next engine. */
  suspend(): void
  close(error: SessionError): void
}

/** @param loadKeys - carries keys to other tabs */
export function createTabCalls(
  post: (message: SyncChannelMessage) => void,
  loadKeys: () => Promise<DeviceKeys>,
): TabCalls {
  const pending = createPendingCalls()
  let engine: string | undefined
  let here: RunCall | undefined
  const answerer = createCallAnswerer({ post, loadKeys, run: () => here })

  const begin = (id: string, one: PendingCall): void => {
    if (one.how.signal?.aborted === true) return pending.take(id)?.reject(endedBySignal(one))
    if (engine !== undefined) one.engines.add(engine)
    if (here === undefined) return void askElsewhere(id, one, { pending, post, loadKeys })
    here(one.call, one.how).then(
      (value) => pending.take(id)?.resolve(value as never),
      (error: unknown) => void (isSessionError(error, 'WorkerLost') || pending.take(id)?.reject(error)),
    )
  }

  return {
    ask: (call, how = {}) =>
      new Promise((resolve, reject) => {
        const [id, one] = pending.add({ call, how, resolve: resolve as (value: never) => void, reject })
        how.signal?.addEventListener('abort', () => {
          // An engine of this tab has the signal.
          if (here !== undefined || pending.take(id) === undefined) return
          post({ sync: 'cancel', id })
          reject(endedBySignal(one))
        })
        begin(id, one)
      }),
    handle: (message) => {
      if (message.sync === 'ask') void answerer.answer(message.id, message.call)
      else if (message.sync === 'cancel') answerer.cancel(message.id)
      else if (message.sync === 'progress') pending.get(message.id)?.how.onProgress?.(message.progress)
      else if (message.sync === 'answer') pending.take(message.id)?.resolve(message.value as never)
      else pending.take(message.id)?.reject(errorOfWire(message.error))
    },
    follow: (next, run) => {
      here = run
      if (engine === next) return
      engine = next
      for (const [id, one] of pending.entries()) {
        const error = whyNotAgain(one)
        if (error === undefined) begin(id, one)
        else pending.take(id)?.reject(error)
      }
    },
    suspend: () => {
      here = undefined
      engine = undefined
    },
    close: (error) => {
      here = undefined
      for (const [id] of pending.entries()) pending.take(id)?.reject(error)
    },
  }
}

interface Elsewhere {
  readonly pending: PendingCalls
  readonly post: (message: SyncChannelMessage) => void
  readonly loadKeys: () => Promise<DeviceKeys>
}

/** Sends a call to the tab that leads. Keys do not travel: they are lent by the database. */
async function askElsewhere(id: string, one: PendingCall, { pending, post, loadKeys }: Elsewhere): Promise<void> {
  const { call } = one
  if (call[0] !== 'changeKeys') return post({ sync: 'ask', id, call })
  try {
    const [method, to, from] = call
    const keys = await loadKeys()
    const loan = await keys.lend({ to, from })
    one.onEnd = () => void keys.forget(loan)
    if (pending.get(id) !== undefined) post({ sync: 'ask', id, call: [method, loan] })
    else one.onEnd()
  } catch (error) {
    pending.take(id)?.reject(error)
  }
}
