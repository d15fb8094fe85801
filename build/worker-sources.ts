import type { Plugin } from 'vite'
import { bundleWorker } from './bundle-worker.ts'
import { WORKERS, workerPath } from './workers.ts'

/**
 * Serves `virtual:…-worker-source`: the text of a bundled worker, for the blob worker an app falls back to when it
 * can't load the worker by URL. Every Vite configuration that sees `src` needs it: the library, the demo and the tests.
 *
 * @param bundle - how a worker is made
 */
export function workerSources(bundle = bundleWorker): Plugin {
  return {
    name: 'keepsession:worker-sources',
    resolveId(id) {
      return WORKERS.some((worker) => worker.virtual === id) ? `\0${id}` : null
    },
    async load(id) {
      const worker = WORKERS.find((one) => `\0${one.virtual}` === id)
      if (worker === undefined) return null
      const { code, files } = await bundle(workerPath(worker))
      for (const file of files) this.addWatchFile(file)
      return `export default ${JSON.stringify(code)}`
    },
  }
}
