import { once } from 'node:events'
import { LONGEST_WAIT } from './limits/authenticate-in-time.js'

/** How long open requests and sockets may take to end by themselves, in milliseconds. */
const GRACE = 2_000
/** How long a request may pause, in milliseconds. */
const IDLE = 60_000
/** How long a request may take altogether: a large attachment over a slow line. */
const LONGEST = 15 * 60_000

/**
 * Starts and stops listening. Hocuspocus' own method waits for documents to unload when it stops, and leaves WebSockets
 * open.
 *
 * @param {import('@hocuspocus/server').Server} server
 * @param {ReadonlySet<import('@hocuspocus/server').WebSocketLike>} sockets
 * @param {Pick<import('./options.js').Limits, 'authenticateMs'>} limits
 * @returns {Promise<{ port: number, host: string, stop(): Promise<void> }>} rejects when the address or port can't be
 *   used
 */
export async function listen(server, sockets, { authenticateMs }) {
  const { httpServer } = server
  // Ends what neither sends nor reads. A WebSocket ends this as it begins.
  httpServer.timeout = IDLE
  httpServer.requestTimeout = LONGEST
  endUnasked(httpServer, authenticateMs)
  /** @type {Set<import('node:net').Socket>} */
  const streams = new Set()
  httpServer.on('connection', (stream) => {
    streams.add(stream)
    // Node removes its own listener at an upgrade: a reset after a refused upgrade would end the process.
    stream.on('error', () => {})
    stream.once('close', () => streams.delete(stream))
  })
  const failed = once(httpServer, 'error').then(([error]) => Promise.reject(error))
  // Once the server listens, nobody waits for this any more.
  failed.catch(() => {})
  await Promise.race([server.listen(), failed])
  const { port, address, family } = server.address
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address

  return {
    port,
    host: `${host}:${port}`,
    async stop() {
      const closed = new Promise((resolve) => httpServer.close(resolve))
      for (const socket of sockets) socket.close(1001, 'stopping')
      httpServer.closeIdleConnections()
      const end = setTimeout(() => {
        for (const stream of streams) stream.destroy()
      }, GRACE)
      await closed
      clearTimeout(end)
    },
  }
}

/**
 * Ends connections that don't finish the head of their first request. Node looks for them only every 30 seconds.
 *
 * @param {import('node:http').Server} httpServer
 * @param {number} ms
 */
function endUnasked(httpServer, ms) {
  if (ms > LONGEST_WAIT) return
  /** @type {WeakMap<object, NodeJS.Timeout>} */
  const timers = new WeakMap()
  httpServer.on('connection', (stream) => timers.set(stream, setTimeout(() => stream.destroy(), ms).unref()))
  /** @param {import('node:http').IncomingMessage} request */
  const stop = ({ socket }) => clearTimeout(timers.get(socket))
  httpServer.on('request', stop)
  httpServer.on('upgrade', stop)
}
