import { defineConfig } from 'vitest/config'
import { workerSources } from './build/worker-sources.ts'
import { patience } from './test/support/browser-suite.ts'
import { closingLine } from './test/support/closing-line.ts'

/** `npm run test:sync`: sync at length, with real databases. A bounded part of it is in `npm test`. */
export default defineConfig({
  plugins: [workerSources()],
  test: {
    name: 'sync',
    reporters: ['default', closingLine()],
    include: ['test/**/*.sync.test.ts', 'test/sync-server/**/*.test.ts'],
    // A Node 20 has a WebSocket, which it shows only when asked.
    execArgv: ['--experimental-websocket'],
    expect: { poll: { timeout: patience } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
