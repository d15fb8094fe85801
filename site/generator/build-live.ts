import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { workerSources } from '../../build/worker-sources.ts'
import { outFolder } from './site-folders.ts'

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Bundles what runs in the reader's browser: search and tabs of every page, and the live parts with the package. */
export async function buildLive(folder = outFolder): Promise<void> {
  await build({
    root: file('.'),
    configFile: false,
    logLevel: 'error',
    // The site may be anywhere.
    base: './',
    publicDir: false,
    plugins: [workerSources()],
    worker: { format: 'es' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: {
          site: file('theme/site.ts'),
          bench: file('live/bench.ts'),
          playground: file('live/playground.ts'),
          tab: file('live/tab.html'),
        },
        output: { entryFileNames: 'assets/[name].js' },
      },
    },
  })
}
