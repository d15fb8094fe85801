import { defineConfig } from 'vitest/config'
import { workerSources } from './build/worker-sources.ts'
import { browserSuite, patience } from './test/support/browser-suite.ts'
import { chromiumProvider } from './test/support/chromium-provider.ts'
import { closingLine } from './test/support/closing-line.ts'

export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    projects: [
      {
        plugins: [workerSources()],
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts', 'test/**/*.sync.test.ts', 'test/e2e/**', 'test/packaging/**'],
          maxWorkers: '100%',
          // Nothing here is about time; a busy machine gets what it needs.
          testTimeout: 30_000,
          expect: { poll: { timeout: patience } },
          // A Node 20 has a WebSocket, which it shows only when asked.
          execArgv: ['--experimental-websocket'],
        },
      },
      browserSuite('browser', 'chromium', chromiumProvider()),
      {
        // Tests that drive a browser themselves, and tests of the package as published.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/packaging/**/*.test.ts'],
          globalSetup: ['test/support/build-package.ts', 'test/support/run-folder.ts'],
          sequence: { groupOrder: 2 },
          // Two browsers at once: most of what these tests do is to wait for pages.
          maxWorkers: 2,
          expect: { poll: { timeout: patience } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
