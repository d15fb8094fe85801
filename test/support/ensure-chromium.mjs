// Makes sure that the tests have a Chromium: finds one or installs one, and fails if it can't. Run by `npm test`.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { findChromium } from './chromium.mjs'

const found = findChromium() ?? install()
if (found === undefined) {
  console.error(
    'The tests need a real Chromium. None was found, and none could be installed.\n' +
      'Install Chromium or Chrome, or set CHROME_PATH to its executable, and run this again.',
  )
  process.exit(1)
}
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
  // Its package also brings the libraries that a downloaded browser misses on a bare machine.
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  run('apt-get', ['update'], 120_000)
  run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], 300_000)
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {number} timeout - in milliseconds: a mirror that doesn't answer must leave time for the next way
 */
function run(command, args, timeout) {
  console.log(`No Chromium found: running ${command} ${args.join(' ')}`)
  spawnSync(command, args, { stdio: 'inherit', timeout, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
}
