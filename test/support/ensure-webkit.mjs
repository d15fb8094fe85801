// Makes sure that the tests have a WebKitGTK and a display for it: finds them, installs them where that may be done
// unasked, and else says what to do.
import { findWebKit, hasXvfb } from './engines/find-webkit.mjs'
import { fail, installFromDebian } from './install-from-debian.mjs'

if (findWebKit() === undefined || !hasXvfb()) installFromDebian(['webkit2gtk-driver', 'xvfb'])
const found = findWebKit()
if (found === undefined || !hasXvfb()) {
  fail(
    `These tests need WebKitGTK's MiniBrowser and Xvfb. ${found === undefined ? 'MiniBrowser' : 'Xvfb'} was not found. Install them, or set WEBKIT_PATH to the executable of MiniBrowser, and run this again.`,
    ['webkit2gtk-driver', 'xvfb'],
  )
}
console.log(`Testing in ${found}`)
