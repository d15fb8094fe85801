import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { workerSources } from './build/worker-sources.ts'
import { CHROMIUM_ARGS, findChromium } from './test/support/chromium.mjs'
import { closingLine } from './test/support/closing-line.ts'

const chromium = findChromium()

/** How long a page may take to show what is awaited, in milliseconds: a busy machine needs more than the second that is usual. */
const patience = 10_000

export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    projects: [
      {
        plugins: [workerSources()],
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts', 'test/e2e/**', 'test/packaging/**'],
        },
      },
      {
        plugins: [workerSources()],
        worker: { format: 'es' },
        // Known beforehand, because the page is reloaded, and a test with it, when Vite discovers a dependency late.
        optimizeDeps: { include: ['@noble/hashes/sha2.js', '@noble/hashes/utils.js', 'comlink', 'dexie', 'fflate', 'yaml', 'zod/mini'] },
        test: {
          name: 'browser',
          include: ['test/**/*.browser.test.ts'],
          sequence: { groupOrder: 1 },
          expect: { poll: { timeout: patience } },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({
              launchOptions: { args: CHROMIUM_ARGS, ...(chromium === undefined ? {} : { executablePath: chromium }) },
            }),
          },
        },
      },
      {
        // Tests that drive a browser themselves, and tests of the package as published.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/packaging/**/*.test.ts'],
          globalSetup: 'test/support/build-package.ts',
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          expect: { poll: { timeout: patience } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
