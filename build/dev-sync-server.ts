import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Starts the sync server next to a development server, on a free port of this machine and with a secret of its own, and
 * tells the page of both in `<meta name="sync-server" data-server data-token>`. What is synced is kept from one start
 * to the next.
 */
export function devSyncServer(): Plugin {
  let offered: Promise<{ readonly url: string; readonly secret: string } | undefined> | undefined
  return {
    name: 'keepsession:dev-sync-server',
    apply: 'serve',
    configureServer(vite) {
      offered = (async () => {
        try {
          const { startSyncServer } = await import('../server/index.js')
          const server = await startSyncServer({
            port: 0,
            data: join(vite.config.cacheDir, 'sync-server'),
            say: (message) => vite.config.logger.info(`sync server: ${message}`),
          })
          if (vite.httpServer === null) await server.close()
          else vite.httpServer.once('close', () => void server.close())
          vite.config.logger.info(`  keepsession sync server on ${server.url}`)
          return server
        } catch (error) {
          // Another one has the folder, or it is not installed: the app works without.
          vite.config.logger.warn(`The sync server was not started: ${(error as Error).message}`)
          return undefined
        }
      })()
    },
    async transformIndexHtml() {
      const server = await offered
      return (
        server && [
          {
            tag: 'meta',
            attrs: { name: 'sync-server', 'data-server': server.url, 'data-token': server.secret },
            injectTo: 'head',
          },
        ]
      )
    },
  }
}
