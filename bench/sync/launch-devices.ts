import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { build } from 'vite'
import { workerSources } from '../../build/worker-sources.ts'
import { CHROMIUM_ARGS, findChromium } from '../../test/support/chromium.mjs'
import { serve } from '../../test/support/serve.ts'

/** Two browsers, each with a profile on disk. */
export interface BenchDevices {
  /** A fresh page in each, with what `page/main.ts` offers. */
  openPages(): Promise<readonly [Page, Page]>
  close(): Promise<void>
}

/** For a clock of 5 µs, and for the memory of a page to be told. */
const isolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
}

const node = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))

export async function launchDevices(): Promise<BenchDevices> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install one, or name it in CHROME_PATH.')
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  await build({
    root: fileURLToPath(new URL('./page', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    plugins: [workerSources()],
    // Its entry for bundlers imports WebAssembly as a module, which needs a plugin.
    resolve: {
      alias: [
        {
          find: /^@automerge\/automerge$/,
          replacement: node('@automerge/automerge/dist/mjs/entrypoints/fullfat_base64.js'),
        },
      ],
    },
    worker: { format: 'es' },
    build: { outDir: join(folder, 'page'), emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 10_000 },
  })
  const server = await serve(join(folder, 'page'), isolation)
  const launch = (name: string): Promise<BrowserContext> =>
    chromium.launchPersistentContext(join(folder, name), {
      executablePath,
      headless: true,
      // Memory is told after the next collection, which may take minutes to come.
      args: [...CHROMIUM_ARGS, '--enable-blink-features=ForceEagerMeasureMemory'],
    })
  const contexts = await Promise.all([launch('one'), launch('two')])
  const openPage = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage()
    page.on('console', (message) => console.error(message.text()))
    page.on('pageerror', (error) => console.error(error))
    await page.goto(server.url)
    await page.waitForFunction(() => 'openDevice' in globalThis)
    return page
  }
  return {
    openPages: async () => (await Promise.all(contexts.map(openPage))) as [Page, Page],
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()))
      await server.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
