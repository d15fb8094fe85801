import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { madeOnce } from './made-once.ts'
import { type Served, serve } from './serve.ts'
import { copyBuilt } from './serve-made.ts'
import type { SdkWindow } from './served-sdk.ts'

/** What a page of {@link serveSync} offers to `page.evaluate`. */
export interface SyncWindow extends SdkWindow {
  readonly openSync: typeof import('../../src/sync.ts').openSync
  readonly encryption: typeof import('../../src/sync-encryption.ts')
}

/** What the package leaves to the app: with a bundler these are shared with what else the app does with them. */
const shared = { yjs: 'yjs/dist/yjs.mjs', dexie: 'dexie/import-wrapper.mjs', 'zod/mini': 'zod/mini/index.js' } as const

const page = `<!doctype html><title>keepsession</title>
<script type="importmap">${JSON.stringify({ imports: Object.fromEntries(Object.keys(shared).map((name) => [name, `./shared/${fileOf(name)}`])) })}</script>
<script type="module">
const { openSync } = await import('./dist/sync.js')
Object.assign(window, { encryption: await import('./dist/sync-encryption.js'), openSync, sdk: await import('./dist/index.js') })
</script>`

/** Serves the package as it was built, with a page that has its entry and those of sync. It is made once in a run. */
export async function serveSync(): Promise<Served> {
  // So that no tab after the first has to load and compile it anew.
  return serve(await madeOnce('sync', fill), { 'cache-control': 'max-age=3600' })
}

async function fill(folder: string): Promise<void> {
  await copyBuilt(folder)
  for (const [name, file] of Object.entries(shared)) {
    const entry = fileURLToPath(new URL(`../../node_modules/${file}`, import.meta.url))
    await build({
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      build: {
        outDir: join(folder, 'shared'),
        emptyOutDir: false,
        lib: { entry, formats: ['es'], fileName: () => fileOf(name) },
      },
    })
  }
  await writeFile(join(folder, 'index.html'), page)
}

function fileOf(name: string): string {
  return `${name.replaceAll('/', '-')}.js`
}
