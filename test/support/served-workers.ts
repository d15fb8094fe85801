import type { Plugin } from 'vite'
import { bundleWorker } from '../../build/bundle-worker.ts'
import { WORKERS, type WorkerEntry, workerPath } from '../../build/workers.ts'

/**
 * Serves the workers as they are published, in one file each. Vite would serve their modules one by one, a hundred
 * requests for each worker that starts, and the tests start hundreds.
 */
export function servedWorkers(): Plugin {
  const bundles = new Map<string, Promise<string>>()
  const bundleOf = (worker: WorkerEntry): Promise<string> => {
    const bundle = bundles.get(worker.name) ?? bundleWorker(workerPath(worker)).then(({ code }) => code)
    bundles.set(worker.name, bundle)
    return bundle
  }
  return {
    name: 'keepsession:served-workers',
    async configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost')
        const worker = WORKERS.find(({ source }) => pathname === `/${source}`)
        if (worker === undefined) return next()
        bundleOf(worker).then((code) => response.setHeader('content-type', 'text/javascript').end(code), next)
      })
      server.watcher.on('change', () => bundles.clear())
      // Before any page asks: on a busy machine this takes longer than a store waits for its worker.
      await Promise.all(WORKERS.map(bundleOf))
    },
  }
}
