import { defineConfig } from 'vitest/config'
import { browserSuite } from './test/support/browser-suite.ts'
import { chromiumProvider } from './test/support/chromium-provider.ts'
import { closingLine } from './test/support/closing-line.ts'
import { e2eSuite } from './test/support/e2e-suite.ts'
import { takesLong } from './test/support/takes-long.ts'
import { anyOrder } from './test/support/test-order.ts'

/** `npm run test:long`: what `npm test` leaves out because it takes long and says little that other tests don't. */
export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    sequence: anyOrder,
    projects: [
      browserSuite('long-browser', 'chromium', chromiumProvider(), [
        'test/store/in-page.browser.test.ts',
        'test/store/stores.browser.test.ts',
      ]),
      e2eSuite('long', [...takesLong]),
    ],
  },
})
