import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Served } from '../../support/serve.ts'
import { copyBuilt, serveMade } from '../../support/serve-made.ts'

const imports = { keepsession: './dist/index.js', 'keepsession/ai-sdk': './dist/ai-sdk.js' }
const PAGE = `<!doctype html><title>A chat of the AI SDK</title>
<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="./app/main.js"></script>`

/** Serves the chat app of test/frameworks/ai-sdk, with the package as it was built. */
export function serveChat(): Promise<Served> {
  const root = fileURLToPath(new URL('../../frameworks/ai-sdk/page', import.meta.url))
  return serveMade(async (folder) => {
    await Promise.all([copyBuilt(folder), writeFile(join(folder, 'index.html'), PAGE)])
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
