/** Bytes that may wait in the socket, because this protocol confirms nothing. */
const mostBuffered = 1024 * 1024
const checkMs = 20

/** Waits while too much is in the socket that has not left yet. */
export interface SocketDrain {
  /** Resolves when more may be sent, or it is closed. */
  drained(): Promise<void>
  close(): void
}

export function createSocketDrain(buffered: () => number): SocketDrain {
  let wake: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  return {
    drained: async () => {
      while (!isClosed && buffered() > mostBuffered) {
        await new Promise<void>((resolve) => {
          wake = resolve
          timer = setTimeout(resolve, checkMs)
        })
      }
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      wake?.()
    },
  }
}
