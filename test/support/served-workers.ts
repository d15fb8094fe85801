import type { Plugin } from 'vite'
import { bundleWorker } from '../../build/bundle-worker.ts'
import { WORKERS, workerPath } from '../../build/workers.ts'

/**
 * Serves the workers as they are published, in one file each. Vite would serve their modules one by one, a hundred requests for each
 * worker that starts, and the tests start hundreds.
 */
export function servedWorkers(): Plugin {
  const bundles = new Map<string, Promise<string>>()
  return {
    name: 'keepsession:served-workers',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost')
        const worker = WORKERS.find(({ source }) => pathname === `/${source}`)
        if (worker === undefined) return next()
        let bundle = bundles.get(worker.file)
        if (bundle === undefined) bundles.set(worker.file, (bundle = bundleWorker(workerPath(worker)).then(({ code }) => code)))
        bundle.then((code) => response.setHeader('content-type', 'text/javascript').end(code), next)
      })
      server.watcher.on('change', () => bundles.clear())
    },
  }
}
