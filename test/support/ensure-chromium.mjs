// Makes sure that the tests have a Chromium: finds one, downloads Playwright's into the user's cache or installs
// Debian's where that may be done unasked, and else says what to do. Run by `npm test`.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { fail, installFromDebian, run } from './install-from-debian.mjs'

const found = findChromium() ?? install()
if (found === undefined)
  fail(
    'The tests need a real Chromium, and none was found. Install Chromium or Chrome, or set CHROME_PATH to its executable, and run this again.',
    ['chromium'],
  )
console.log(`Testing in ${found}`)

/** @returns {string | undefined} */
function install() {
  for (const way of [fromPlaywright, fromDebian]) {
    way()
    const path = findChromium()
    if (path !== undefined) return path
  }
  return undefined
}

function fromPlaywright() {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js')
  run(process.execPath, [cli, 'install', 'chromium'], 180_000)
}

function fromDebian() {
  installFromDebian(['chromium'])
}
