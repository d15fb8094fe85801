import type { Plugin } from 'vite'
import { bundleWorker } from './bundle-worker.ts'
import { WORKERS, type WorkerEntry, workerPath } from './workers.ts'

/**
 * Serves `virtual:…-worker-url`: the address of a bundled worker, which an app fetches when it can't start the worker
 * by URL. Every Vite configuration that sees `src` needs it; the library build has `worker-files.ts` instead.
 */
export function workerSources(): Plugin {
  let isServed = false
  let folder = ''
  return {
    name: 'keepsession:worker-sources',
    configResolved({ command, base }) {
      isServed = command === 'serve'
      folder = `${base}@worker-sources/`
    },
    configureServer({ middlewares, watcher }) {
      const bundled = new Map<WorkerEntry, ReturnType<typeof bundleWorker>>()
      watcher.on('change', () => bundled.clear())
      middlewares.use(async ({ url }, response, next) => {
        const worker = WORKERS.find(({ name }) => url === `${folder}${name}.js`)
        if (worker === undefined) return next()
        try {
          const bundling = bundled.get(worker) ?? bundleWorker(workerPath(worker))
          bundled.set(worker, bundling)
          const { code } = await bundling
          response.setHeader('content-type', 'text/javascript').end(code)
        } catch (error) {
          next(error)
        }
      })
    },
    resolveId: (id) => (WORKERS.some(({ virtual }) => virtual === id) ? `\0${id}` : null),
    async load(id) {
      const worker = WORKERS.find(({ virtual }) => `\0${virtual}` === id)
      if (worker === undefined) return null
      // A content security policy may forbid addresses with the script in them.
      if (isServed && this.environment.name === 'client') return `export default '${folder}${worker.name}.js'`
      const { code, files } = await bundleWorker(workerPath(worker))
      for (const file of files) this.addWatchFile(file)
      // Tests in Node have no server.
      if (isServed) return `export default 'data:text/javascript;base64,${Buffer.from(code).toString('base64')}'`
      const asset = this.emitFile({ type: 'asset', name: `${worker.name}.js`, source: code })
      return `export default import.meta.ROLLUP_FILE_URL_${asset}`
    },
  }
}
