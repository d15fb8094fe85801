// Makes sure that the tests have a Firefox: finds one, installs one where that may be done unasked, and else says what
// to do.
import { findFirefox } from './engines/find-firefox.mjs'
import { fail, installFromDebian } from './install-from-debian.mjs'

if (findFirefox() === undefined) installFromDebian(['firefox-esr'])
const found = findFirefox()
if (found === undefined)
  fail(
    'These tests need a real Firefox, and none was found. Install it, or set FIREFOX_PATH to its executable, and run this again.',
    ['firefox-esr'],
  )
console.log(`Testing in ${found}`)
