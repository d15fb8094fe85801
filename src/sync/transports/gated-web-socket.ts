type Listener = (event: Event) => void

/** The events of a socket that a library listens to. */
class SocketListeners {
  onopen: Listener | null = null
  onmessage: Listener | null = null
  onclose: Listener | null = null
  onerror: Listener | null = null
  readonly #listeners = new Map<string, Set<Listener>>()

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener))
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener)
  }

  protected dispatch(event: Event): void {
    const own = { open: this.onopen, message: this.onmessage }[event.type as 'open' | 'message']
    for (const listener of [own, ...(this.#listeners.get(event.type) ?? [])]) listener?.(event)
  }
}

/** What a gated socket reports, and asks. */
export interface GatedSocketEvents {
  /** The library made its socket, which opens this one. */
  readonly onMade: (socket: WebSocket) => void
  readonly onOpen: () => void
  /** A frame arrived. `show` hands a frame on to the library, now or later. @throws when it makes no sense */
  readonly onFrame: (frame: Uint8Array, show: (frame: Uint8Array) => void) => void
  readonly onEnd: (code: number, reason: string) => void
  /** Runs a task unless the socket is over; ends the socket when the task throws. */
  readonly guard: (task: () => void) => void
  readonly isOver: () => boolean
}

/**
 * A WebSocket class for a library: it opens a socket, shows only what it is given, and never says that the socket
 * closed.
 */
export function gatedWebSocket(Base: typeof WebSocket, events: GatedSocketEvents): typeof WebSocket {
  const { onMade, onOpen, onFrame, onEnd, guard, isOver } = events

  class GatedWebSocket extends SocketListeners {
    static readonly CONNECTING = 0
    static readonly OPEN = 1
    static readonly CLOSING = 2
    static readonly CLOSED = 3
    readonly OPEN = 1
    binaryType = 'arraybuffer'
    readonly #socket: WebSocket

    constructor(url: string, protocols?: string | string[]) {
      super()
      const socket = new Base(url, protocols)
      this.#socket = socket
      socket.binaryType = 'arraybuffer'
      onMade(socket)
      socket.addEventListener('open', (event) => {
        guard(() => {
          onOpen()
          this.dispatch(event)
        })
      })
      socket.addEventListener('message', ({ data }) => {
        guard(() => {
          if (!(data instanceof ArrayBuffer)) throw new Error('a text')
          onFrame(new Uint8Array(data), (frame) => this.#show(frame))
        })
      })
      socket.addEventListener('close', ({ code, reason }) => onEnd(code, String(reason)))
      // A close follows. Without a listener, Node throws the error.
      socket.addEventListener('error', () => undefined)
    }

    get readyState(): number {
      return isOver() ? 3 : this.#socket.readyState
    }

    send(frame: Uint8Array<ArrayBuffer>): void {
      if (!isOver()) this.#socket.send(frame)
    }

    close(): void {
      // The library gives up by itself. Not within its own call, because the library is ended then.
      queueMicrotask(() => onEnd(1006, 'nothing arrived for too long'))
    }

    #show(frame: Uint8Array): void {
      const data = frame.byteLength === frame.buffer.byteLength ? frame.buffer : frame.slice().buffer
      guard(() => this.dispatch(new MessageEvent('message', { data })))
    }
  }

  return GatedWebSocket as unknown as typeof WebSocket
}
