import { drawId } from '../client/session/draw-id.ts'
import { errorOfWire, isSessionError, SessionError } from '../contract/errors.ts'
import type { CallOptions, SyncCall } from '../sync/sync-protocol.ts'
import { createCallAnswerer } from './answer-calls.ts'
import type { DeviceKeys } from './device-keys.ts'
import type { CallMessage, SyncChannelMessage } from './sync-channel.ts'
import type { CallSync } from './sync-engine.ts'

/** How many engines a call may outlive. A call that ends each engine must not be retried for ever. */
const mostEngines = 3

/** Makes a call in this tab. @throws WorkerLost when the engine has ended: then the next engine is asked */
export type RunCall = (call: SyncCall, how: CallOptions) => Promise<unknown>

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

interface PendingCall {
  readonly call: SyncCall
  readonly how: CallOptions
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  /** Engines that were asked. */
  readonly engines: Set<string>
  onEnd: () => void
}

/** @param loadKeys - carries keys to other tabs */
export function createTabCalls(
  post: (message: SyncChannelMessage) => void,
  loadKeys: () => Promise<DeviceKeys>,
): TabCalls {
  const pending = new Map<string, PendingCall>()
  let engine: string | undefined
  let here: RunCall | undefined
  const answerer = createCallAnswerer({ post, loadKeys, run: () => here })

  const take = (id: string): PendingCall | undefined => {
    const one = pending.get(id)
    pending.delete(id)
    one?.onEnd()
    return one
  }

  const begin = (id: string, one: PendingCall): void => {
    if (one.how.signal?.aborted === true) return void take(id)?.reject(endedBySignal(one))
    if (engine !== undefined) one.engines.add(engine)
    if (here === undefined) return void send(id, one)
    here(one.call, one.how).then(
      (value) => take(id)?.resolve(value as never),
      (error: unknown) => void (isSessionError(error, 'WorkerLost') || take(id)?.reject(error)),
    )
  }

  const send = async (id: string, one: PendingCall): Promise<void> => {
    const { call } = one
    if (call[0] !== 'changeKeys') return post({ sync: 'ask', id, call })
    try {
      const [method, to, from] = call
      const keys = await loadKeys()
      const loan = await keys.lend({ to, from })
      one.onEnd = () => void keys.forget(loan)
      if (pending.has(id)) post({ sync: 'ask', id, call: [method, loan] })
      else one.onEnd()
    } catch (error) {
      take(id)?.reject(error)
    }
  }

  return {
    ask: (call, how = {}) =>
      new Promise((resolve, reject) => {
        const id = drawId()
        const one: PendingCall = {
          call,
          how,
          resolve: resolve as (value: never) => void,
          reject,
          engines: new Set(),
          onEnd: () => undefined,
        }
        pending.set(id, one)
        how.signal?.addEventListener('abort', () => {
          // An engine of this tab has the signal.
          if (here !== undefined || take(id) === undefined) return
          post({ sync: 'cancel', id })
          reject(endedBySignal(one))
        })
        begin(id, one)
      }),
    handle: (message) => {
      if (message.sync === 'ask') void answerer.answer(message.id, message.call)
      else if (message.sync === 'cancel') answerer.cancel(message.id)
      else if (message.sync === 'progress') pending.get(message.id)?.how.onProgress?.(message.progress)
      else if (message.sync === 'answer') take(message.id)?.resolve(message.value as never)
      else take(message.id)?.reject(errorOfWire(message.error))
    },
    follow: (next, run) => {
      here = run
      if (engine === next) return
      engine = next
      for (const [id, one] of pending) {
        const isBegun = one.engines.size > 0
        if (isBegun && one.call[0] === 'changeKeys') take(id)?.reject(brokenOff())
        else if (one.engines.size >= mostEngines) take(id)?.reject(endedTooOften(one))
        else begin(id, one)
      }
    },
    suspend: () => {
      here = undefined
      engine = undefined
    },
    close: (error) => {
      here = undefined
      for (const id of [...pending.keys()]) take(id)?.reject(error)
    },
  }
}

const endedBySignal = ({ call: [method], how: { signal } }: PendingCall): SessionError =>
  new SessionError(
    'Aborted',
    method === 'changeKeys'
      ? 'The change of keys was stopped. What was moved to the new key stays there: call changeKeys again for the rest.'
      : `${method} was cancelled by its signal. Sync continues.`,
    { cause: signal?.reason },
  )

const endedTooOften = ({ call: [method] }: PendingCall): SessionError =>
  new SessionError('WorkerLost', `Sync has ended ${mostEngines} times during ${method}. Nothing is lost; try again.`)

const brokenOff = (): SessionError =>
  new SessionError(
    'WorkerLost',
    'The tab or worker that changed the key of sync has ended, perhaps before it was complete. Call changeKeys again with the same key, and with the previous key as `from`: it continues where it stopped.',
  )
