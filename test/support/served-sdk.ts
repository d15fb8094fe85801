import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Served } from './serve.ts'
import { copyBuilt, serveMade } from './serve-made.ts'

/** What a page of {@link serveSdk} offers to `page.evaluate`. */
export interface SdkWindow {
  readonly sdk: typeof import('../../src/index.ts')
}

const PAGE = `<!doctype html><title>keepsession</title>
<script type="module">window.sdk = await import('./dist/index.js')</script>`

/** Serves the package as it was built, with an empty page that has it as `window.sdk`. */
export function serveSdk(): Promise<Served> {
  return serveMade((folder) => Promise.all([copyBuilt(folder), writeFile(join(folder, 'index.html'), PAGE)]))
}
