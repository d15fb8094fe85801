import { SessionError } from '../contract/errors.ts'
import type { Sync } from './sync-contract.ts'
import type { CallHow, SyncCall } from './sync-protocol.ts'

/** Does what was asked for from outside. Only these can be. */
export async function runCall(sync: Sync, call: SyncCall, { signal, onProgress }: CallHow): Promise<unknown> {
  switch (call[0]) {
    case 'plan':
      return sync.plan(signal)
    case 'syncNow':
      return sync.syncNow(signal)
    case 'unsent':
      return sync.unsent()
    case 'changeKeys': {
      const [, to, from] = call
      return sync.changeKeys(to, { ...(from && { from }), ...(signal && { signal }), ...(onProgress && { onProgress }) })
    }
    case 'pause':
      return sync.pause()
    case 'resume':
      return sync.resume()
    case 'retry':
      return sync.retry()
    case 'close':
      return sync.close()
    default:
      throw new SessionError('InvalidInput', `Sync can not be asked for ${JSON.stringify((call as readonly unknown[])[0])}.`)
  }
}
