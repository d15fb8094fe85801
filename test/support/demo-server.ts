import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import { madeOnce } from './made-once.ts'

export interface DemoServer {
  /** Where the demo is, with a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

const root = fileURLToPath(new URL('../../demo', import.meta.url))
const configFile = join(root, 'vite.config.ts')

/** The folder of the demo as it would be published, built once in a run. */
export const builtDemo = (): Promise<string> =>
  madeOnce('demo', (outDir) => build({ root, configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } }))

/** Serves the demo as it would be published, from a free port of this machine. */
export async function startDemoServer(): Promise<DemoServer> {
  const outDir = await builtDemo()
  const server = await preview({ root, configFile, build: { outDir }, preview: { host: '127.0.0.1', open: false } })
  const url = server.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('The preview server of the demo has no address.')
  return { url, close: () => server.close() }
}
