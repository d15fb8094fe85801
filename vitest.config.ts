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
          // A process for each file: files share no globals, locks, clocks or channels. It costs no more time than threads that are shared.
          pool: 'forks',
          isolate: true,
          setupFiles: ['test/support/leaves-nothing-behind.ts'],
          // More than there are cores: some of them wait for sockets and timers.
          maxWorkers: '150%',
          // Nothing here is about time; a busy machine gets what it needs.
          testTimeout: 30_000,
          expect: { poll: { timeout: patience } },
          // A Node 20 has a WebSocket, which it shows only when asked.
          execArgv: ['--experimental-websocket'],
        },
      },
      // The laws of a store that lives in the page run here in Node only, on the same code; `npm run test:engines` has them in all browsers.
      browserSuite('browser', 'chromium', chromiumProvider(), undefined, ['test/store/in-page.browser.test.ts']),
      {
        // Tests that drive a browser themselves, and tests of the package as published.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/packaging/**/*.test.ts'],
          globalSetup: ['test/support/build-package.ts', 'test/support/run-folder.ts'],
          sequence: { groupOrder: 2 },
          // Browsers at once, more than there are cores: now and then each test waits for its pages.
          maxWorkers: 3,
          isolate: false,
          expect: { poll: { timeout: patience } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
