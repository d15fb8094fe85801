// Plain JavaScript, because Node runs the ensure-… scripts without a build.
import { spawnSync } from 'node:child_process'
import { howToInstall, mayInstall, thisPlace } from './may-install.mjs'

/**
 * Installs packages where that may be done unasked; elsewhere it does nothing. It comes with the libraries that a
 * downloaded browser misses on a bare machine.
 *
 * @param {readonly string[]} packages
 */
export function installFromDebian(packages) {
  if (!mayInstall(thisPlace())) return
  run('apt-get', ['update'], 120_000)
  run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], 300_000)
}

/**
 * Ends the process with what is missing and the command that installs it.
 *
 * @param {string} missing - what it is, and what else would do
 * @param {readonly string[]} packages - of Debian
 * @returns {never}
 */
export function fail(missing, packages) {
  console.error(`${missing}\n${howToInstall(packages, thisPlace())}`)
  process.exit(1)
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {number} timeout - in milliseconds: a mirror that doesn't answer must leave time for what else there is
 */
export function run(command, args, timeout) {
  console.log(`Something the tests need is missing: running ${command} ${args.join(' ')}`)
  spawnSync(command, args, { stdio: 'inherit', timeout, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
}
