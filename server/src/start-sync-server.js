import { Server } from '@hocuspocus/server'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'

/**
 * Starts a sync server in this process.
 *
 * @param {import('./options.js').SyncServerOptions} [options]
 * @returns {Promise<import('./options.js').SyncServer>} once it listens; rejects when it can't
 */
export async function startSyncServer(options = {}) {
  const secret = options.secret ?? randomBytes(24).toString('base64url')
  const server = new Server({
    quiet: true,
    stopOnSignals: false,
    port: options.port ?? 4466,
    address: options.address ?? '127.0.0.1',
    async onAuthenticate({ token }) {
      if (token !== secret) throw { reason: 'denied' }
    },
  })
  const failed = once(server.httpServer, 'error').then(([error]) => Promise.reject(error))
  failed.catch(() => {})
  await Promise.race([server.listen(), failed])
  const { port } = server.address
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    secret,
    close: () => server.destroy(),
  }
}
