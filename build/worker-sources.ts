import type { Plugin } from 'vite'
import { bundleWorker } from './bundle-worker.ts'
import { WORKERS, workerPath } from './workers.ts'

/**
 * Serves `virtual:…-worker-url`: the address of a bundled worker, which an app fetches when it can't start the worker
 * by URL. Every Vite configuration that sees `src` needs it; the library build has `worker-files.ts` instead.
 */
export function workerSources(): Plugin {
  let isServed = false
  return {
    name: 'keepsession:worker-sources',
    configResolved({ command }) {
      isServed = command === 'serve'
    },
    resolveId: (id) => (WORKERS.some(({ virtual }) => virtual === id) ? `\0${id}` : null),
    async load(id) {
      const worker = WORKERS.find(({ virtual }) => `\0${virtual}` === id)
      if (worker === undefined) return null
      const { code, files } = await bundleWorker(workerPath(worker))
      for (const file of files) this.addWatchFile(file)
      // A development server has no files but those on disk.
      if (isServed) return `export default 'data:text/javascript;base64,${Buffer.from(code).toString('base64')}'`
      const asset = this.emitFile({ type: 'asset', name: `${worker.name}.js`, source: code })
      return `export default import.meta.ROLLUP_FILE_URL_${asset}`
    },
  }
}
