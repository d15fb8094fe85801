// Plain JavaScript, because Node runs the ensure-… scripts without a build.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Installs packages where that can be done: on Debian, as root. It comes with the libraries that a downloaded browser misses on a bare machine.
 *
 * @param {readonly string[]} packages
 */
export function installFromDebian(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  run('apt-get', ['update'], 120_000)
  run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], 300_000)
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
