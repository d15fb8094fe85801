import { once } from 'node:events'

/** How long open requests and sockets may take to end by themselves, in milliseconds. */
const GRACE = 2_000

/**
 * Starts and stops listening. Hocuspocus' own method waits for documents to unload when it stops, and leaves WebSockets
 * open.
 *
 * @param {import('@hocuspocus/server').Server} server
 * @param {ReadonlySet<import('@hocuspocus/server').WebSocketLike>} sockets
 * @returns {Promise<{ port: number, host: string, stop(): Promise<void> }>} rejects when the address or port can't be
 *   used
 */
export async function listen(server, sockets) {
  const { httpServer } = server
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
