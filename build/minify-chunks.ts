import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { minify } from 'terser'
import type { Plugin } from 'vite'

const options = { module: true, compress: { passes: 3, ecma: 2020 } } as const

/**
 * Minifies what Vite has minified once more, with Terser: 2 % less to load for each page and worker. It looks at a file
 * as a whole and several times over, which Vite's minifier, made for speed, does not.
 */
export function minifyChunks(): Plugin {
  return {
    name: 'keepsession:minify-chunks',
    async generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk') chunk.code = codeOf(await minify(chunk.code, options))
    },
  }
}

/** As text, because threads of Node 20 read no TypeScript. */
const thread = `
  const { parentPort, workerData: { terser, code, options } } = require('node:worker_threads')
  require(terser).minify(code, options).then(({ code }) => parentPort.postMessage({ code }))
`

/**
 * Does it in a thread of its own: a worker takes up to ten seconds, and there are four. Not worth its while for what is
 * small.
 */
export async function minifyInThread(code: string): Promise<string> {
  const terser = createRequire(import.meta.url).resolve('terser')
  const [result] = (await once(
    new Worker(thread, { eval: true, workerData: { terser, code, options } }),
    'message',
  )) as [{ readonly code?: string }]
  return codeOf(result)
}

function codeOf({ code }: { readonly code?: string | undefined }): string {
  if (code === undefined) throw new Error('Terser gave no code.')
  return code
}
