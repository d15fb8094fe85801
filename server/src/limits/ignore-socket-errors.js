/**
 * Ignores errors of a socket: anybody can cause one, as by an invalid frame, and Hocuspocus writes each with its stack
 * to the log. `ws` closes the socket itself.
 *
 * @param {import('@hocuspocus/server').WebSocketLike} socket - one of `ws`, which crossws begins to listen to once this has returned
 */
export function ignoreSocketErrors(socket) {
  const events = /** @type {import('node:events').EventEmitter} */ (/** @type {unknown} */ (socket))
  queueMicrotask(() => events.removeAllListeners('error').on('error', () => {}))
}
