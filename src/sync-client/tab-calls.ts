import { errorOfWire, isSessionError, SessionError } from '../contract/errors.ts'
import { drawId } from '../client/session/draw-id.ts'
import type { CallHow, SyncCall } from '../sync/sync-protocol.ts'
import type { CallSync } from './sync-engine.ts'
import type { DeviceKeys } from './device-keys.ts'
import type { CallMessage, SentCall, SyncChannelMessage } from './sync-channel.ts'

/** Engines that a call may outlive: one that ends each of them is not to go on for ever. */
const mostEngines = 3

/** Does a call here. @throws WorkerLost when what does it has ended: the next one is asked then */
export type RunCall = (call: SyncCall, how: CallHow) => Promise<unknown>

/** What the tabs of a device ask of the one that leads. */
export interface TabCalls {
  /** Asks whoever leads, this tab or another, now or later. */
  readonly ask: CallSync
  hear(message: CallMessage): void
  /** Another engine does it from now on: it is asked for what the one before has left. @param run - absent where it is in another tab */
  follow(engine: string, run?: RunCall): void
  /** What is asked for from now on waits for the next engine. */
  rest(): void
  close(error: SessionError): void
}

interface Asked {
  readonly call: SyncCall
  readonly how: CallHow
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  /** Engines that were asked. */
  readonly engines: Set<string>
  onOver: () => void
}

/** @param loadKeys - what carries keys to other tabs, where there are any */
export function createTabCalls(say: (message: SyncChannelMessage) => void, loadKeys: () => Promise<DeviceKeys>): TabCalls {
  const asked = new Map<string, Asked>()
  const answering = new Map<string, AbortController>()
  let engine: string | undefined
  let here: RunCall | undefined

  const take = (id: string): Asked | undefined => {
    const one = asked.get(id)
    asked.delete(id)
    one?.onOver()
    return one
  }

  const begin = (id: string, one: Asked): void => {
    if (one.how.signal?.aborted === true) return void take(id)?.reject(endedBySignal(one))
    if (engine !== undefined) one.engines.add(engine)
    if (here === undefined) return void send(id, one)
    here(one.call, one.how).then(
      (value) => take(id)?.resolve(value as never),
      (error: unknown) => void (isSessionError(error, 'WorkerLost') || take(id)?.reject(error)),
    )
  }

  const send = async (id: string, one: Asked): Promise<void> => {
    const { call } = one
    if (call[0] !== 'changeKeys') return say({ sync: 'ask', id, call })
    try {
      const [method, to, from] = call
      const keys = await loadKeys()
      const loan = await keys.lend({ to, from })
      one.onOver = () => void keys.forget(loan)
      if (asked.has(id)) say({ sync: 'ask', id, call: [method, loan] })
      else one.onOver()
    } catch (error) {
      take(id)?.reject(error)
    }
  }

  const received = async (call: SentCall): Promise<SyncCall> => {
    if (call[0] !== 'changeKeys') return call
    const { to, from } = await (await loadKeys()).borrow(call[1])
    return [call[0], to, from]
  }

  const answer = async (id: string, call: SentCall): Promise<void> => {
    const run = here
    if (run === undefined || answering.has(id)) return
    const cancelling = new AbortController()
    answering.set(id, cancelling)
    try {
      say({ sync: 'answer', id, value: await run(await received(call), { signal: cancelling.signal, onProgress: (progress) => say({ sync: 'progress', id, progress }) }) })
    } catch (error) {
      const { name, message } = error as Error
      if (!isSessionError(error, 'WorkerLost')) say({ sync: 'refusal', id, error: { name, message } })
    } finally {
      answering.delete(id)
    }
  }

  return {
    ask: (call, how = {}) =>
      new Promise((resolve, reject) => {
        const id = drawId()
        const { signal } = how
        const one: Asked = { call, how, resolve: resolve as (value: never) => void, reject, engines: new Set(), onOver: () => undefined }
        asked.set(id, one)
        signal?.addEventListener('abort', () => {
          // What does it here has the signal.
          if (here !== undefined || take(id) === undefined) return
          say({ sync: 'cancel', id })
          reject(endedBySignal(one))
        })
        begin(id, one)
      }),
    hear: (message) => {
      if (message.sync === 'ask') void answer(message.id, message.call)
      else if (message.sync === 'cancel') answering.get(message.id)?.abort()
      else if (message.sync === 'progress') asked.get(message.id)?.how.onProgress?.(message.progress)
      else if (message.sync === 'answer') take(message.id)?.resolve(message.value as never)
      else take(message.id)?.reject(errorOfWire(message.error))
    },
    follow: (next, run) => {
      here = run
      if (engine === next) return
      engine = next
      for (const [id, one] of asked) {
        const isBegun = one.engines.size > 0
        if (isBegun && one.call[0] === 'changeKeys') take(id)?.reject(brokenOff())
        else if (one.engines.size >= mostEngines) take(id)?.reject(new SessionError('WorkerLost', `What syncs has ended ${mostEngines} times during ${one.call[0]}. Nothing is lost; ask again.`))
        else begin(id, one)
      }
    },
    rest: () => {
      here = undefined
      engine = undefined
    },
    close: (error) => {
      here = undefined
      for (const id of [...asked.keys()]) take(id)?.reject(error)
    },
  }
}

const endedBySignal = ({ call: [method], how: { signal } }: Asked): SessionError =>
  new SessionError('Aborted', method === 'changeKeys' ? 'The change of keys was stopped. What is under the new key stays there: call it again for the rest.' : `${method} was ended by its signal. Sync goes on.`, { cause: signal?.reason })

const brokenOff = (): SessionError =>
  new SessionError('WorkerLost', 'The tab or worker that changed the key of sync has ended, perhaps before it was done. Call changeKeys again with the same key, and with `from`, the key before: what is done stays done.')
