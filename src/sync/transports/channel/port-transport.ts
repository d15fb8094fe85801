import type { SyncTransport } from '../../link.ts'
import { peerTransport } from './peer-transport.ts'

/**
 * Sync over a MessagePort: a way of the app's own, even into a worker that is built already. What comes out of the port are `Uint8Array`s, to be
 * put unchanged into the port of another device, or of all others: whatever carries bytes does. The port is the transport's from then on.
 */
export function portTransport(port: MessagePort): SyncTransport {
  return peerTransport((take, lost) => {
    const onMessage = ({ data }: MessageEvent): void => take(data)
    port.addEventListener('message', onMessage)
    // Not every browser tells.
    port.addEventListener('close', lost)
    port.start()
    return {
      post: (bytes) => port.postMessage(bytes),
      close: () => {
        port.removeEventListener('message', onMessage)
        port.removeEventListener('close', lost)
        port.close()
      },
    }
  }, false)
}
