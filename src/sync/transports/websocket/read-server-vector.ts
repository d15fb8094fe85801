import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1 } from 'y-protocols/sync'

/** How long the server may take to answer, in milliseconds. */
const patience = 30_000

/**
 * Asks a server of y-websocket's protocol what it has. It says so only at the start of a connection, so one is opened
 * for a moment.
 *
 * @param found - called once, with nothing when the server cannot be reached or does not answer
 * @returns how to stop
 */
export function readServerVector(
  Base: typeof WebSocket,
  address: string,
  found: (stateVector: Uint8Array | undefined) => void,
): () => void {
  const socket = new Base(address)
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = (vector: Uint8Array | undefined, isStopped = false): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    socket.close()
    if (!isStopped) found(vector)
  }
  timer = setTimeout(() => end(undefined), patience)
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('error', () => end(undefined))
  socket.addEventListener('close', () => end(undefined))
  socket.addEventListener('message', ({ data }) => {
    if (isOver) return
    try {
      const decoder = decoding.createDecoder(new Uint8Array(data as ArrayBuffer))
      if (decoding.readVarUint(decoder) === 0 && decoding.readVarUint(decoder) === messageYjsSyncStep1)
        end(decoding.readVarUint8Array(decoder))
    } catch {
      end(undefined)
    }
  })
  return () => end(undefined, true)
}
