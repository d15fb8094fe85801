import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { workerSources } from '../../../../build/worker-sources.ts'
import type { Served } from '../../../support/serve.ts'
import { serveMade } from '../../../support/serve-made.ts'

const PAGE = `<!doctype html><title>chat</title>
<script>navigator.serviceWorker.register('/sw.js', { type: 'module' })</script>`

/** Serves an empty page with a Service Worker that is the chat's server, bundled as an app would do it. */
export function serveChatWorker(): Promise<Served> {
  return serveMade(async (folder) => {
    await build({
      configFile: false,
      logLevel: 'error',
      plugins: [workerSources()],
      worker: { format: 'es' },
      build: {
        outDir: folder,
        target: 'es2022',
        modulePreload: false,
        rolldownOptions: {
          input: fileURLToPath(new URL('chat-service-worker.ts', import.meta.url)),
          output: { format: 'es', codeSplitting: false, entryFileNames: 'sw.js' },
        },
      },
    })
    await writeFile(join(folder, 'index.html'), PAGE)
  })
}
