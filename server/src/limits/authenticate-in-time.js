/** The WebSocket close code for a client that took too long, after HTTP's 408. */
const TOO_LATE = 4408

/**
 * Closes WebSockets that have no document open a while after they were connected: without a token that is accepted, nobody
 * keeps a connection.
 *
 * @param {import('../options.js').Limits} limits
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {{ extension: import('@hocuspocus/server').Extension, watch(hocuspocus: import('@hocuspocus/server').Hocuspocus): void }}
 */
export function authenticateInTime({ authenticateMs }, metrics) {
  /** @type {WeakMap<import('@hocuspocus/server').WebSocketLike, NodeJS.Timeout>} */
  const timers = new WeakMap()
  /** @param {import('@hocuspocus/server').WebSocketLike} socket */
  const stop = (socket) => {
    clearTimeout(timers.get(socket))
    timers.delete(socket)
  }
  return {
    extension: {
      async connected({ connection }) {
        stop(connection.webSocket)
      },
    },
    watch(hocuspocus) {
      const connect = hocuspocus.handleConnection.bind(hocuspocus)
      hocuspocus.handleConnection = (socket, request, context) => {
        const client = connect(socket, request, context)
        const end = setTimeout(() => {
          metrics.refuse('not-authenticated')
          socket.close(TOO_LATE, 'not-authenticated')
        }, authenticateMs)
        timers.set(socket, end.unref())
        const handleClose = client.handleClose.bind(client)
        client.handleClose = (event) => {
          stop(socket)
          handleClose(event)
        }
        return client
      }
    },
  }
}
