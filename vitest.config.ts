import { defineConfig } from 'vitest/config'
import { browserSuite } from './test/support/browser-suite.ts'
import { chromiumProvider } from './test/support/chromium-provider.ts'
import { closingLine } from './test/support/closing-line.ts'
import { e2eSuite } from './test/support/e2e-suite.ts'
import { nodeSuite } from './test/support/node-suite.ts'
import { takesLong } from './test/support/takes-long.ts'
import { anyOrder } from './test/support/test-order.ts'
import { withReact18 } from './test/support/with-react-18.ts'

/**
 * What a user needs to trust a checkout: `npm test`. What else there is: `vitest.long.config.ts`,
 * `vitest.engines.config.ts`, `vitest.sync.config.ts`.
 */
export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    sequence: anyOrder,
    projects: [
      nodeSuite(),
      // The laws of stores that live in the page run here in Node only, on the same code; `npm run test:engines` has
      // them in all browsers.
      browserSuite('browser', 'chromium', chromiumProvider(), undefined, [
        'test/store/in-page.browser.test.ts',
        'test/store/stores.browser.test.ts',
      ]),
      withReact18(
        browserSuite('browser-react-18', 'chromium', chromiumProvider(), ['test/bindings/react/*.browser.test.ts']),
      ),
      e2eSuite('e2e', ['test/e2e/**/*.test.ts', 'test/packaging/**/*.test.ts', 'test/site/**/*.test.ts'], takesLong),
    ],
  },
})
