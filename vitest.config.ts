import { defineConfig } from 'vitest/config'
import { browserSuite } from './test/support/browser-suite.ts'
import { chromiumProvider } from './test/support/chromium-provider.ts'
import { closingLine } from './test/support/closing-line.ts'
import { e2eSuite } from './test/support/e2e-suite.ts'
import { moreTests } from './test/support/more-tests.ts'
import { nodeSuite } from './test/support/node-suite.ts'
import { takesLong } from './test/support/takes-long.ts'
import { anyOrder } from './test/support/test-order.ts'

/**
 * What a user needs to trust a checkout: `npm test`. What else there is: `vitest.more.config.ts`, which CI runs too,
 * `vitest.long.config.ts`, `vitest.engines.config.ts`, `vitest.sync.config.ts`.
 */
export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    sequence: anyOrder,
    projects: [
      nodeSuite('node', ['test/**/*.test.ts'], moreTests.node),
      browserSuite('browser', 'chromium', chromiumProvider(), undefined, [
        ...moreTests.browser,
        // The laws of stores that live in the page run here in Node only, on the same code; `npm run test:engines` has
        // them in all browsers.
        'test/store/in-page.browser.test.ts',
        'test/store/stores.browser.test.ts',
      ]),
      e2eSuite('e2e', ['test/e2e/**/*.test.ts', 'test/packaging/**/*.test.ts'], [...moreTests.e2e, ...takesLong]),
    ],
  },
})
