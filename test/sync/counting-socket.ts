import { WebSocket } from 'ws'

/** Bytes of frames, both ways, since it was last reset. */
export interface Traffic {
  sent: number
  received: number
  open: number
}

/** WebSockets that count what goes through them. */
export function countingSocket(): { Socket: typeof globalThis.WebSocket; traffic: Traffic } {
  const traffic: Traffic = { sent: 0, received: 0, open: 0 }
  class Socket extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      this.addEventListener('open', () => (traffic.open += 1))
      this.addEventListener('close', () => (traffic.open -= 1))
      this.addEventListener('message', ({ data }) => (traffic.received += (data as ArrayBuffer).byteLength))
    }

    override send(data: Uint8Array<ArrayBuffer>): void {
      traffic.sent += data.byteLength
      super.send(data)
    }
  }
  return { Socket, traffic }
}
