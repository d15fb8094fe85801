import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium } from 'playwright-core'
import { build } from 'vite'
import { workerSources } from '../build/worker-sources.ts'
import { CHROMIUM_ARGS, findChromium } from '../test/support/chromium.mjs'
import { serve } from '../test/support/serve.ts'

export interface BenchBrowser {
  readonly context: BrowserContext
  readonly url: string
  readonly version: string
  close(): Promise<void>
}

/** For a clock of 5 µs instead of 100. */
const isolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
}

export interface ServedBench {
  readonly url: string
  close(): Promise<void>
}

interface ServeOptions {
  /** Whether functions keep their names, for a profile. */
  readonly isReadable?: boolean
  /** Files of the pages in the folder. Default: index.html. */
  readonly pages?: readonly string[]
}

/**
 * Builds pages and serves them.
 *
 * @param root - their folder
 */
export async function serveBench(root: string, { isReadable = false, pages }: ServeOptions = {}): Promise<ServedBench> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [workerSources()],
    // Dexie refuses to run beside another version of itself, which a rival may bring along.
    resolve: { dedupe: ['dexie', 'yjs'] },
    worker: { format: 'es' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      chunkSizeWarningLimit: 2000,
      ...(isReadable && { minify: false }),
      ...(pages !== undefined && { rollupOptions: { input: pages.map((page) => join(root, page)) } }),
    },
  })
  const server = await serve(folder, { ...isolation, 'cache-control': 'max-age=3600' })
  return {
    url: `${server.url}/`,
    close: async () => {
      await server.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}

/** A fresh profile on disk: without one IndexedDB would be kept in memory. */
export interface BenchProfile {
  readonly folder: string
  /** Starts a browser on it. */
  start(): Promise<BrowserContext>
  remove(): Promise<void>
}

export async function openProfile(): Promise<BenchProfile> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install one, or name it in CHROME_PATH.')
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  return {
    folder,
    start: () =>
      chromium.launchPersistentContext(folder, {
        executablePath,
        headless: true,
        args: [...CHROMIUM_ARGS, '--js-flags=--expose-gc'],
      }),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}

/**
 * Builds a page, serves it and starts a browser.
 *
 * @param root - folder of the page
 */
export async function launchBench(root = fileURLToPath(new URL('./page', import.meta.url))): Promise<BenchBrowser> {
  const profile = await openProfile()
  const served = await serveBench(root)
  const context = await profile.start()
  return {
    context,
    url: served.url,
    version: context.browser()?.version() ?? 'unknown',
    close: async () => {
      await context.close()
      await served.close()
      await profile.remove()
    },
  }
}
