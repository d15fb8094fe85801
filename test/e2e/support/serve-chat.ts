import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Served } from '../../support/serve.ts'
import { copyBuilt, serveMade } from '../../support/serve-made.ts'

/**
 * Makes a function that serves the app in the folder `page` of the tests of a framework, with the package as it was
 * built.
 *
 * @param adapter - the package export that it uses, and the folder in test/frameworks
 */
export function serveChat(adapter: string): () => Promise<Served> {
  const root = fileURLToPath(new URL(`../../frameworks/${adapter}/page`, import.meta.url))
  const imports = { keepsession: './dist/index.js', [`keepsession/${adapter}`]: `./dist/${adapter}.js` }
  const page = `<!doctype html><title>A chat</title>
<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="./app/main.js"></script>`
  return () =>
    serveMade(async (folder) => {
      await Promise.all([copyBuilt(folder), writeFile(join(folder, 'index.html'), page)])
      await build({
        root,
        configFile: false,
        logLevel: 'error',
        define: { 'process.env.NODE_ENV': '"production"' },
        build: {
          target: 'es2022',
          minify: false,
          outDir: join(folder, 'app'),
          lib: { entry: 'main.ts', formats: ['es'], fileName: () => 'main.js' },
          rolldownOptions: { external: /^keepsession/ },
        },
      })
    })
}
