import { readServerVector } from './read-server-vector.ts'

export interface VectorProbeOptions {
  readonly WebSocket: typeof WebSocket
  /** Where the server is; empty before that is known. */
  readonly address: () => string
  /** Resolves when everything has been sent. */
  readonly idle: () => Promise<void>
  /** Everything has been sent: the server is about to be asked. */
  readonly onAsk: () => void
  readonly onVector: (stateVector: Uint8Array) => void
}

/** Asks the server what it has, one question at a time. */
export interface VectorProbe {
  ask(): void
  stop(): void
}

export function createVectorProbe({ WebSocket, address, idle, onAsk, onVector }: VectorProbeOptions): VectorProbe {
  let stop: (() => void) | undefined
  return {
    ask: () => {
      if (stop !== undefined || address() === '') return
      let isStopped = false
      stop = () => (isStopped = true)
      void idle().then(() => {
        if (isStopped) return
        onAsk()
        stop = readServerVector(WebSocket, address(), (vector) => {
          stop = undefined
          if (vector !== undefined) onVector(vector)
        })
      })
    },
    stop: () => stop?.(),
  }
}
