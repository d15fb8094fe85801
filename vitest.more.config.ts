import { defineConfig } from 'vitest/config'
import { browserSuite } from './test/support/browser-suite.ts'
import { chromiumProvider } from './test/support/chromium-provider.ts'
import { closingLine } from './test/support/closing-line.ts'
import { e2eSuite } from './test/support/e2e-suite.ts'
import { moreTests } from './test/support/more-tests.ts'
import { nodeSuite } from './test/support/node-suite.ts'
import { anyOrder } from './test/support/test-order.ts'
import { withReact18 } from './test/support/with-react-18.ts'

/** `npm run test:more`: more of what `npm test` has. CI runs it, too. */
export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    sequence: anyOrder,
    projects: [
      nodeSuite('more-node', [...moreTests.node]),
      browserSuite('more-browser', 'chromium', chromiumProvider(), [...moreTests.browser]),
      withReact18(
        browserSuite('browser-react-18', 'chromium', chromiumProvider(), ['test/bindings/react/*.browser.test.ts']),
      ),
      e2eSuite('more-e2e', [...moreTests.e2e]),
    ],
  },
})
