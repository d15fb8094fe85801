import type { SyncTransport } from '../../link.ts'
import { peerTransport } from './peer-transport.ts'

/**
 * Sync over a MessagePort, so that the app carries the bytes itself, also into a worker that is built already. The port
 * emits `Uint8Array`s, which have to be put unchanged into the port of another device, or of all others. From then on
 * the port belongs to the transport.
 */
export function portTransport(port: MessagePort): SyncTransport {
  return peerTransport((take, lost) => {
    const onMessage = ({ data }: MessageEvent): void => take(data)
    port.addEventListener('message', onMessage)
    // Not every browser fires this event.
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
