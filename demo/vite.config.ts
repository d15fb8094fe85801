import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { appFiles } from '../build/app-files.ts'
import { devSyncServer } from '../build/dev-sync-server.ts'
import { workerSources } from '../build/worker-sources.ts'

// Where there is no screen there is no browser to open: the address that Vite prints has to do.
const hasScreen = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])

export default defineConfig({
  plugins: [workerSources(), devSyncServer(), appFiles('chat-worker.js')],
  worker: { format: 'es' },
  server: { open: hasScreen },
  build: {
    rolldownOptions: {
      input: {
        index: fileURLToPath(new URL('index.html', import.meta.url)),
        'chat-worker': fileURLToPath(new URL('chat-worker.ts', import.meta.url)),
      },
      // A Service Worker is found by its name, and serves what lies below it.
      output: { entryFileNames: ({ name }) => (name === 'chat-worker' ? '[name].js' : 'assets/[name]-[hash].js') },
    },
  },
})
