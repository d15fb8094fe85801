import { SessionError } from '../../../contract/errors.ts'
import type { SyncTransport } from '../../link.ts'
import { peerTransport } from './peer-transport.ts'

export interface BroadcastTransportOptions {
  /** Name of the BroadcastChannel. Default `keepsession-sync`. */
  readonly channel?: string
}

/**
 * Sync between tabs and workers of one origin that have separate databases. Those that share a database do not need it.
 */
export function broadcastTransport({ channel = 'keepsession-sync' }: BroadcastTransportOptions = {}): SyncTransport {
  if (typeof BroadcastChannel !== 'function')
    throw new SessionError(
      'InvalidInput',
      'broadcastTransport needs BroadcastChannel, which is missing here. Use another transport.',
    )
  return peerTransport((take) => {
    const way = new BroadcastChannel(channel)
    way.onmessage = ({ data }) => take(data)
    return { post: (bytes) => way.postMessage(bytes), close: () => way.close() }
  }, true)
}
