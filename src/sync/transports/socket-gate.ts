/** What decides about the frames of a socket. */
export interface GateKeeper {
  readonly opened: () => void
  /** A frame from the server. `show` hands one on to the library, now or later; what isn't shown it never sees. @throws when it makes no sense */
  readonly incoming: (frame: Uint8Array, show: (frame: Uint8Array) => void) => void
  /** Called once, when the socket is closed from the other side, breaks, or says something that makes no sense. */
  readonly ended: (code: number, reason: string) => void
}

/** A socket that a library believes to be its own. */
export interface SocketGate {
  /** For the library. It opens one, and is never told that it closed: whoever holds the gate ends the library then, so that it doesn't reconnect. */
  readonly WebSocket: typeof WebSocket
  send(frame: Uint8Array): void
  /** Bytes that have not left yet. */
  buffered(): number
  close(): void
}

type Listener = (event: Event) => void

/** Stands between a library and its WebSocket. */
export function createSocketGate(Base: typeof WebSocket, keeper: GateKeeper): SocketGate {
  let socket: WebSocket | undefined
  let isOver = false

  const stop = (): void => {
    isOver = true
    socket?.close()
  }
  const end = (code: number, reason: string): void => {
    if (isOver) return
    stop()
    keeper.ended(code, reason)
  }

  class GatedWebSocket {
    static readonly CONNECTING = 0
    static readonly OPEN = 1
    static readonly CLOSING = 2
    static readonly CLOSED = 3
    readonly OPEN = 1
    binaryType = 'arraybuffer'
    onopen: Listener | null = null
    onmessage: Listener | null = null
    onclose: Listener | null = null
    onerror: Listener | null = null
    readonly #listeners = new Map<string, Set<Listener>>()
    readonly #socket: WebSocket

    constructor(url: string, protocols?: string | string[]) {
      this.#socket = socket = new Base(url, protocols)
      this.#socket.binaryType = 'arraybuffer'
      const guarded = (task: () => void): void => {
        if (isOver) return
        try {
          task()
        } catch (error) {
          end(1002, `the server sent what makes no sense (${(error as Error).message})`)
        }
      }
      const show = (frame: Uint8Array): void => {
        const data = frame.byteLength === frame.buffer.byteLength ? frame.buffer : frame.slice().buffer
        guarded(() => this.#tell(new MessageEvent('message', { data })))
      }
      this.#socket.addEventListener('open', (event) => {
        guarded(() => {
          keeper.opened()
          this.#tell(event)
        })
      })
      this.#socket.addEventListener('message', ({ data }) => {
        guarded(() => {
          if (!(data instanceof ArrayBuffer)) throw new Error('a text')
          keeper.incoming(new Uint8Array(data), show)
        })
      })
      this.#socket.addEventListener('close', ({ code, reason }) => end(code, String(reason)))
      // A close follows; without a listener, Node throws it.
      this.#socket.addEventListener('error', () => undefined)
    }

    get readyState(): number {
      return isOver ? 3 : this.#socket.readyState
    }

    send(frame: Uint8Array<ArrayBuffer>): void {
      if (!isOver) this.#socket.send(frame)
    }

    close(): void {
      // The library gives up by itself. Not in its own call, because whoever holds the gate ends the library then.
      queueMicrotask(() => end(1006, 'nothing was heard for too long'))
    }

    addEventListener(type: string, listener: Listener): void {
      this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener))
    }

    removeEventListener(type: string, listener: Listener): void {
      this.#listeners.get(type)?.delete(listener)
    }

    #tell(event: Event): void {
      const own = { open: this.onopen, message: this.onmessage }[event.type as 'open' | 'message']
      for (const listener of [own, ...(this.#listeners.get(event.type) ?? [])]) listener?.(event)
    }
  }

  return {
    WebSocket: GatedWebSocket as unknown as typeof WebSocket,
    send: (frame) => {
      if (!isOver && socket?.readyState === 1) socket.send(frame as Uint8Array<ArrayBuffer>)
    },
    buffered: () => (isOver ? 0 : (socket?.bufferedAmount ?? 0)),
    close: stop,
  }
}
