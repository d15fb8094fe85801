import { gatedWebSocket } from './gated-web-socket.ts'

/** What decides about the frames of a socket. */
export interface GateKeeper {
  readonly opened: () => void
  /**
   * A frame from the server. `show` hands a frame on to the library, now or later; the library never sees any other.
   *
   * @throws when it makes no sense
   */
  readonly incoming: (frame: Uint8Array, show: (frame: Uint8Array) => void) => void
  /**
   * Called once, when the other side closes the socket, when it breaks, or when the other side sends something that
   * makes no sense.
   */
  readonly ended: (code: number, reason: string) => void
}

/** A socket that a library takes for its own. */
export interface SocketGate {
  /**
   * For the library, which never learns that the socket closed: the owner of the gate ends it then, so that it does not
   * reconnect.
   */
  readonly WebSocket: typeof WebSocket
  /** Frames go to this one. Called before a socket is made. */
  guardedBy(keeper: GateKeeper): void
  send(frame: Uint8Array): void
  /** Bytes that have not left yet. */
  buffered(): number
  close(): void
}

/** Stands between a library and its WebSocket. */
export function createSocketGate(Base: typeof WebSocket): SocketGate {
  let socket: WebSocket | undefined
  let keeper: GateKeeper | undefined
  let isOver = false

  const stop = (): void => {
    isOver = true
    socket?.close()
  }
  const end = (code: number, reason: string): void => {
    if (isOver) return
    stop()
    keeper?.ended(code, reason)
  }
  return {
    WebSocket: gatedWebSocket(Base, {
      onMade: (made) => {
        socket = made
      },
      onOpen: () => keeper?.opened(),
      onFrame: (frame, show) => keeper?.incoming(frame, show),
      onEnd: end,
      guard: (task) => {
        if (isOver) return
        try {
          task()
        } catch (error) {
          end(1002, `the server sent an invalid message (${(error as Error).message})`)
        }
      },
      isOver: () => isOver,
    }),
    guardedBy: (one) => {
      keeper = one
    },
    send: (frame) => {
      if (!isOver && socket?.readyState === 1) socket.send(frame as Uint8Array<ArrayBuffer>)
    },
    buffered: () => (isOver ? 0 : (socket?.bufferedAmount ?? 0)),
    close: stop,
  }
}
