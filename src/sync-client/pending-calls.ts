import { drawId } from '../client/session/draw-id.ts'
import { SessionError } from '../contract/errors.ts'
import type { CallOptions, SyncCall } from '../sync/sync-protocol.ts'

/** How many engines a call may outlive. A call that ends each engine must not be retried for ever. */
const mostEngines = 3

/** A call that has not been answered. */
export interface PendingCall {
  readonly call: SyncCall
  readonly how: CallOptions
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  /** Engines that were asked. */
  readonly engines: Set<string>
  onEnd: () => void
}

/** The calls of this tab that have not been answered, by id. */
export interface PendingCalls {
  add(call: Pick<PendingCall, 'call' | 'how' | 'resolve' | 'reject'>): readonly [id: string, call: PendingCall]
  get(id: string): PendingCall | undefined
  /** It is answered, in one way or another. @returns the call, unless that was so before */
  take(id: string): PendingCall | undefined
  entries(): readonly (readonly [id: string, call: PendingCall])[]
}

export function createPendingCalls(): PendingCalls {
  const pending = new Map<string, PendingCall>()
  return {
    add: (given) => {
      const id = drawId()
      const call: PendingCall = { ...given, engines: new Set(), onEnd: () => undefined }
      pending.set(id, call)
      return [id, call]
    },
    get: (id) => pending.get(id),
    take: (id) => {
      const one = pending.get(id)
      pending.delete(id)
      one?.onEnd()
      return one
    },
    entries: () => [...pending],
  }
}

/** Why the next engine does not get a call, if it does not. */
export function whyNotAgain({ call: [method], engines }: PendingCall): SessionError | undefined {
  if (engines.size > 0 && method === 'changeKeys') return brokenOff()
  return engines.size >= mostEngines ? endedTooOften(method) : undefined
}

export const endedBySignal = ({ call: [method], how: { signal } }: PendingCall): SessionError =>
  new SessionError(
    'Aborted',
    method === 'changeKeys'
      ? 'The change of keys was stopped. What was moved to the new key stays there: call changeKeys again for the rest.'
      : `${method} was cancelled by its signal. Sync continues.`,
    { cause: signal?.reason },
  )

const endedTooOften = (method: string): SessionError =>
  new SessionError('WorkerLost', `Sync has ended ${mostEngines} times during ${method}. Nothing is lost; try again.`)

const brokenOff = (): SessionError =>
  new SessionError(
    'WorkerLost',
    'The tab or worker that changed the key of sync has ended, perhaps before it was complete. Call changeKeys again with the same key, and with the previous key as `from`: it continues where it stopped.',
  )
