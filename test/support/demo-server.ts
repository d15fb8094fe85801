import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'

export interface DemoServer {
  /** Where the demo is, with a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

const root = fileURLToPath(new URL('../../demo', import.meta.url))
const configFile = join(root, 'vite.config.ts')

/** Builds the demo as it would be published. */
export const buildDemo = async (outDir: string): Promise<void> => void (await build({ root, configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } }))

/** Builds the demo, and serves it from a free port of this machine. */
export async function startDemoServer(): Promise<DemoServer> {
  const outDir = await mkdtemp(join(tmpdir(), 'keepsession-demo-'))
  await buildDemo(outDir)
  const server = await preview({ root, configFile, build: { outDir }, preview: { host: '127.0.0.1', open: false } })
  const url = server.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('The preview server of the demo has no address.')
  return {
    url,
    async close() {
      await server.close()
      await rm(outDir, { recursive: true, force: true })
    },
  }
}
