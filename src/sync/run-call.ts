import { SessionError } from '../contract/errors.ts'
import type { Sync } from './sync-contract.ts'
import type { CallOptions, SyncCall } from './sync-protocol.ts'

/** Does a call from outside. Only these calls exist. */
export async function runCall(sync: Sync, call: SyncCall, { signal, onProgress }: CallOptions): Promise<unknown> {
  switch (call[0]) {
    case 'plan':
      return sync.plan(signal)
    case 'syncNow':
      return sync.syncNow(signal)
    case 'unsent':
      return sync.unsent()
    case 'changeKeys': {
      const [, to, from] = call
      return sync.changeKeys(to, {
        ...(from && { from }),
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      })
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
      throw new SessionError('InvalidInput', `Sync has no call ${JSON.stringify((call as readonly unknown[])[0])}.`)
  }
}
