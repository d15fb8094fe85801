import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Served, serve } from './serve.ts'

/** What a page of {@link serveSdk} offers to `page.evaluate`. */
export interface SdkWindow {
  readonly sdk: typeof import('../../src/index.ts')
}

const PAGE = `<!doctype html><title>keepsession</title>
<script type="module">window.sdk = await import('./dist/index.js')</script>`

/** Serves the package as it was built, with an empty page that has it as `window.sdk`. */
export async function serveSdk(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-served-'))
  await cp(fileURLToPath(new URL('../../dist', import.meta.url)), join(folder, 'dist'), { recursive: true })
  await writeFile(join(folder, 'index.html'), PAGE)
  const served = await serve(folder)
  return {
    url: served.url,
    async close() {
      await served.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
