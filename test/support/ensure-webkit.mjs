// Makes sure that the tests have a WebKitGTK and a display for it: finds them or installs them, and fails if it can't.
import { findWebKit, hasXvfb } from './engines/find-webkit.mjs'
import { installFromDebian } from './install-from-debian.mjs'

if (findWebKit() === undefined || !hasXvfb()) installFromDebian(['webkit2gtk-driver', 'xvfb'])
const found = findWebKit()
if (found === undefined || !hasXvfb()) {
  console.error(
    `These tests need WebKitGTK's MiniBrowser and Xvfb. ${found === undefined ? 'MiniBrowser' : 'Xvfb'} was not found and could not be installed.\n` +
      'Install them (Debian: apt-get install webkit2gtk-driver xvfb), or set WEBKIT_PATH to the executable of MiniBrowser, and run this again.',
  )
  process.exit(1)
}
console.log(`Testing in ${found}`)
