/** The WebSocket close code for a client that took too long, after HTTP's 408. */
const TOO_LATE = 4408
/** Timers of Node wait no longer than that: a longer one would end at once. */
export const LONGEST_WAIT = 2 ** 31 - 1

/**
 * Closes WebSockets of which no token was accepted a while after they were connected: without one, nobody keeps a
 * connection.
 *
 * @param {import('../options.js').Limits} limits
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {{ extension: import('@hocuspocus/server').Extension, watch(hocuspocus: import('@hocuspocus/server').Hocuspocus): void }}
 * `extension` has to come after the one that refuses tokens
 */
export function authenticateInTime({ authenticateMs }, metrics) {
  /** By the request that a socket began with. @type {WeakMap<object, NodeJS.Timeout>} */
  const timers = new WeakMap()
  /** @param {object} request */
  const stop = (request) => clearTimeout(timers.get(request))
  return {
    extension: {
      async onAuthenticate({ request }) {
        stop(request)
      },
    },
    watch(hocuspocus) {
      if (authenticateMs > LONGEST_WAIT) return
      const connect = hocuspocus.handleConnection.bind(hocuspocus)
      hocuspocus.handleConnection = (socket, request, context) => {
        const client = connect(socket, request, context)
        const end = setTimeout(() => {
          metrics.refuse('not-authenticated')
          socket.close(TOO_LATE, 'not-authenticated')
        }, authenticateMs)
        timers.set(request, end.unref())
        const handleClose = client.handleClose.bind(client)
        client.handleClose = (event) => {
          stop(request)
          handleClose(event)
        }
        return client
      }
    },
  }
}
