import { SYNC_STEP_1 } from '../sync-step.js'

/** How many bytes may wait to be read by a client before it gets no more answers. */
const WAITING = 8 * 1024 * 1024
/** How often a socket with a larger backlog is checked again, in milliseconds. */
const PAUSE = 50

/** A socket of `ws`, as crossws hands it on. @typedef {import('@hocuspocus/server').WebSocketLike & { readonly bufferedAmount: number, terminate(): void }} Socket */

/**
 * Limits the backlog of clients that do not read: questions are answered with whole documents, one after the other and
 * only while the backlog is small.
 *
 * @returns {{ extension: import('@hocuspocus/server').Extension, isWaiting(socket: import('@hocuspocus/server').WebSocketLike): boolean, isFull(socket: import('@hocuspocus/server').WebSocketLike): boolean }}
 */
export function limitBacklog() {
  /** The last question of each socket that has one. @type {WeakMap<object, Promise<void>>} */
  const turns = new WeakMap()

  /** @param {Socket} socket */
  const drained = async (socket) => {
    while (isFull(socket)) await new Promise((resolve) => setTimeout(resolve, PAUSE).unref())
  }

  return {
    isWaiting: (socket) => turns.has(socket),
    isFull,
    extension: {
      async beforeSync({ type, connection }) {
        if (type !== SYNC_STEP_1) return
        const socket = /** @type {Socket} */ (connection.webSocket)
        const before = turns.get(socket)
        // The next question checks only after this one was answered; otherwise all would find the socket empty.
        const turn =
          before === undefined
            ? drained(socket)
            : before.then(() => new Promise((resolve) => setImmediate(resolve))).then(() => drained(socket))
        turns.set(socket, turn)
        await turn
        setImmediate(() => {
          if (turns.get(socket) === turn) turns.delete(socket)
        })
      },
    },
  }
}

/** @param {import('@hocuspocus/server').WebSocketLike} socket */
function isFull(socket) {
  const { bufferedAmount, readyState } = /** @type {Socket} */ (socket)
  return readyState === 1 && bufferedAmount > WAITING
}
