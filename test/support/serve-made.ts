import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Served, serve } from './serve.ts'

/** Serves a folder that is made for it, and removed afterwards. */
export async function serveMade(fill: (folder: string) => Promise<unknown>): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-served-'))
  await fill(folder)
  const served = await serve(folder)
  return {
    url: served.url,
    async close() {
      await served.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Puts the package as it was built into a folder, as `dist`. */
export function copyBuilt(folder: string): Promise<void> {
  return cp(fileURLToPath(new URL('../../dist', import.meta.url)), join(folder, 'dist'), { recursive: true })
}
