import type { Plugin } from 'vite'
import { publishedWorker } from './published-worker.ts'
import { WORKERS, workerPath } from './workers.ts'

/**
 * Publishes each worker as one file beside the page's code, and makes that code name it as
 * `new Worker(new URL('./worker.js', import.meta.url))`: the one form every consumer's bundler recognises.
 *
 * Only for the library build. The sources name the worker's TypeScript file, so that Vite runs them unbuilt; Vite's own
 * library mode would turn that into a URL which no other bundler can follow. So the URL is hidden from Vite behind a
 * placeholder, and put in when Vite is done.
 */
export function workerFiles(): Plugin {
  return {
    name: 'keepsession:worker-files',
    enforce: 'pre',
    async buildStart() {
      const published = await Promise.all(
        WORKERS.map(async (worker) => ({ worker, code: (await publishedWorker(workerPath(worker))).code })),
      )
      for (const { worker, code } of published) {
        this.emitFile({ type: 'asset', fileName: worker.file, source: code })
        // A worker exports nothing; the declaration lets TypeScript resolve its subpath.
        this.emitFile({ type: 'asset', fileName: worker.file.replace(/\.js$/, '.d.ts'), source: 'export {}\n' })
      }
    },
    transform(code) {
      let hidden = code
      for (const [i, worker] of WORKERS.entries()) hidden = hidden.replace(urlOf(worker.source), placeholder(i))
      return hidden === code ? null : { code: hidden, map: null }
    },
    // Last of all: whoever minifies writes texts as templates, which not every bundler takes for a text.
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== 'chunk') continue
        for (const [i, worker] of WORKERS.entries()) {
          file.code = file.code
            .replaceAll(placeholder(i), `new URL('./${worker.file}',import.meta.url)`)
            .replaceAll('type:`module`', "type:'module'")
        }
      }
    },
  }
}

const placeholder = (index: number): string => `__KEEPSESSION_WORKER_URL_${index}__`

/** Matches `new URL('../…/<source>', import.meta.url)`. */
function urlOf(source: string): RegExp {
  return new RegExp(
    `new URL\\(\\s*(['"])(?:\\.\\.?/)+${source.replaceAll('.', '\\.')}\\1\\s*,\\s*import\\.meta\\.url\\s*\\)`,
    'g',
  )
}
