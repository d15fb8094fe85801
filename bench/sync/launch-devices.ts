import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { workerSources } from '../../build/worker-sources.ts'
import { startChromium } from '../../test/faults/browsers/chromium.ts'
import { serve } from '../../test/support/serve.ts'
import { type DevicePage, openDevicePage } from './device-page.ts'

/** Two browsers, each with a profile on disk. */
export interface BenchDevices {
  /** A fresh page in each, with what `page/main.ts` offers. */
  openPages(): Promise<readonly [DevicePage, DevicePage]>
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
  const launch = async (name: string): ReturnType<typeof startChromium> => {
    const profile = join(folder, name)
    await mkdir(profile)
    // Memory is told after the next collection, which may take minutes to come.
    return startChromium({ profile, urls: [], flags: ['--enable-blink-features=ForceEagerMeasureMemory'] })
  }
  const browsers = await Promise.all([launch('one'), launch('two')])
  return {
    openPages: async () =>
      (await Promise.all(browsers.map(({ devtools }) => openDevicePage(devtools, `${server.url}/`, 'openDevice')))) as [
        DevicePage,
        DevicePage,
      ],
    close: async () => {
      await Promise.all(browsers.map((browser) => browser.kill()))
      await server.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
