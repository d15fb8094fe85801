// Makes sure that the tests have a Firefox: finds one or installs one, and fails if it can't.
import { findFirefox } from './engines/find-firefox.mjs'
import { installFromDebian } from './install-from-debian.mjs'

if (findFirefox() === undefined) installFromDebian(['firefox-esr'])
const found = findFirefox()
if (found === undefined) {
  console.error(
    'These tests need a real Firefox. None was found, and none could be installed.\n' +
      'Install it (Debian: apt-get install firefox-esr), or set FIREFOX_PATH to its executable, and run this again.',
  )
  process.exit(1)
}
console.log(`Testing in ${found}`)
