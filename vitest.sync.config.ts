import { defineConfig } from 'vitest/config'
import { workerSources } from './build/worker-sources.ts'
import { patience } from './test/support/browser-suite.ts'
import { closingLine } from './test/support/closing-line.ts'

/**
 * `npm run test:sync`: sync at length, with real databases. A bounded part of it is in `npm test`. `SYNC_RUNS`,
 * `SYNC_ACCOUNT_RUNS`, `SYNC_HOSTILE`, `SYNC_DEVICE_RUNS` and `SYNC_KILLS` ask for other figures, `SYNC_SEED` repeats
 * one run of a simulation, `SYNC_ACCOUNT_FIRST` begins later.
 */
export default defineConfig({
  plugins: [workerSources()],
  test: {
    name: 'sync',
    reporters: ['default', closingLine()],
    include: [
      'test/**/*.sync.test.ts',
      'test/sync-server/**/*.test.ts',
      'test/sync/simulation/*.test.ts',
      'test/sync/hostile/*.test.ts',
      'test/sync/devices-and-list.test.ts',
    ],
    env: {
      SYNC_RUNS: '100000',
      SYNC_ACCOUNT_RUNS: '10000',
      SYNC_HOSTILE: '30000',
      SYNC_DEVICE_RUNS: '200',
      SYNC_KILLS: '10',
      ...process.env,
    },
    // A Node 20 has a WebSocket, which it shows only when asked.
    execArgv: ['--experimental-websocket'],
    // Both halves of the simulation at once.
    maxWorkers: '100%',
    expect: { poll: { timeout: patience } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
