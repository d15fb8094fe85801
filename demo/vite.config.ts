import { defineConfig } from 'vite'
import { workerSources } from '../build/worker-sources.ts'

// Where there is no screen there is no browser to open: the address that Vite prints has to do.
const hasScreen = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])

export default defineConfig({
  plugins: [workerSources()],
  worker: { format: 'es' },
  server: { open: hasScreen },
})
