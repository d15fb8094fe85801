import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'
import { bundleWorker } from './bundle-worker.ts'
import { minifyInThread } from './minify-chunks.ts'
import { WORKERS, type WorkerEntry, workerPath } from './workers.ts'

/**
 * Publishes each worker as one script next to the page's code. The page's code refers to it in two forms: as
 * `new Worker(new URL('./session.worker-<hash>.js', import.meta.url))`, the one form that every consumer's bundler
 * recognises, and as a plain URL, which the mode `inline-worker` fetches.
 *
 * The names have a hash, because a cache that keeps an old worker under the name of a new one would give it to a page
 * of another release.
 *
 * Only for the library build. The sources name the worker's TypeScript file, so that Vite runs them unbuilt; Vite's own
 * library mode would turn that into a URL which no other bundler can follow. So the URL is hidden from Vite behind a
 * placeholder, which is replaced when Vite is done.
 */
export function workerFiles(): Plugin {
  let files: readonly string[] = []
  return {
    name: 'keepsession:worker-files',
    enforce: 'pre',
    async buildStart() {
      const scripts = await Promise.all(WORKERS.map(publishedScript))
      files = WORKERS.map(({ name }, i) => `${name}-${hashOf(scripts[i]!)}.js`)
      for (const [i, { subpathFile }] of WORKERS.entries()) {
        this.emitFile({ type: 'asset', fileName: files[i]!, source: scripts[i]! })
        this.emitFile({ type: 'asset', fileName: subpathFile, source: `import './${files[i]}'\n` })
      }
      // Workers export nothing; the declaration, the same for all, lets TypeScript resolve their subpaths.
      this.emitFile({ type: 'asset', fileName: 'worker.d.ts', source: 'export {}\n' })
    },
    resolveId: (id) => (WORKERS.some(({ virtual }) => virtual === id) ? `\0${id}` : null),
    load(id) {
      const index = WORKERS.findIndex(({ virtual }) => `\0${virtual}` === id)
      return index < 0 ? null : `export default ${placeholder(index)}`
    },
    transform(code) {
      let hidden = code
      for (const [i, worker] of WORKERS.entries()) hidden = hidden.replace(urlOf(worker.source), placeholder(i))
      return hidden === code ? null : { code: hidden, map: null }
    },
    // Last of all: whoever minifies writes texts as templates, which not every bundler takes for a text.
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        for (const [i, file] of files.entries()) {
          chunk.code = chunk.code
            .replaceAll(placeholder(i), `new URL('./${file}',import.meta.url)`)
            .replaceAll('type:`module`', "type:'module'")
        }
      }
    },
  }
}

/** The script of a worker as the package has it: bundled, and minified as far as it goes. */
async function publishedScript(worker: WorkerEntry): Promise<string> {
  return minifyInThread((await bundleWorker(workerPath(worker))).code)
}

const hashOf = (script: string): string => createHash('sha256').update(script).digest('base64url').slice(0, 5)

const placeholder = (index: number): string => `__KEEPSESSION_WORKER_URL_${index}__`

/** Matches `new URL('../…/<source>', import.meta.url)`. */
function urlOf(source: string): RegExp {
  return new RegExp(
    `new URL\\(\\s*(['"])(?:\\.\\.?/)+${source.replaceAll('.', '\\.')}\\1\\s*,\\s*import\\.meta\\.url\\s*\\)`,
    'g',
  )
}
