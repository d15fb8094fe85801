import { defineConfig } from 'vitest/config'
import { browserSuite } from './test/support/browser-suite.ts'
import { chromiumProvider } from './test/support/chromium-provider.ts'
import { closingLine } from './test/support/closing-line.ts'
import { engineProvider } from './test/support/engines/engine-provider.ts'
import { startFirefox } from './test/support/engines/start-firefox.ts'
import { startWebKit } from './test/support/engines/start-webkit.ts'

/**
 * Those that tell what differs where a browser gives no private file system. A window of Firefox that keeps nothing is
 * such a place.
 */
const privately = [
  'test/mirror/*.browser.test.ts',
  'test/client/fallbacks.browser.test.ts',
  'test/jobs/import-picoclaw.browser.test.ts',
]

/** The browser tests in all three engines. A config of its own, because `npm test` has Chromium only. */
export default defineConfig({
  test: {
    reporters: ['default', closingLine()],
    projects: [
      browserSuite('chromium', 'chromium', chromiumProvider()),
      browserSuite('firefox', 'firefox', engineProvider('firefox', startFirefox)),
      browserSuite(
        'firefox-private',
        'firefox',
        engineProvider('firefox', (url) => startFirefox(url, { 'browser.privatebrowsing.autostart': true })),
        privately,
      ),
      browserSuite('webkit', 'webkit', engineProvider('webkit', startWebKit)),
    ],
  },
})
