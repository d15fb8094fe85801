// The one rule of what the tests may do to a machine. Plain JavaScript, because Node runs the ensure-… scripts without
// a build.
import { existsSync } from 'node:fs'

/**
 * What is known of a machine and of who asks.
 *
 * @typedef {object} Place
 * @property {boolean} hasApt - Debian, or one of its kind
 * @property {boolean} isRoot
 * @property {boolean} isContainer - it says of itself that it is one
 * @property {boolean} isTerminal - a person sits there, and can type the command
 * @property {Readonly<Record<string, string | undefined>>} env
 */

/**
 * Whether system packages may be installed unasked: where it can be done (Debian, as root), and either
 * `KEEPSESSION_INSTALL=1` asks for it or the machine is plainly there to be thrown away, as in CI, in a container, or
 * where root works without a terminal. `KEEPSESSION_INSTALL=0` forbids it everywhere. Everybody else is told the
 * command.
 *
 * @param {Place} place
 */
export function mayInstall({ hasApt, isRoot, isContainer, isTerminal, env }) {
  if (!hasApt || !isRoot || isNo(env['KEEPSESSION_INSTALL'])) return false
  return Boolean(env['KEEPSESSION_INSTALL']) || isContainer || !isTerminal || (Boolean(env['CI']) && !isNo(env['CI']))
}

/** @param {string | undefined} value */
const isNo = (value) => value === '0' || value === 'false'

/** @returns {Place} this machine */
export function thisPlace() {
  return {
    hasApt: existsSync('/usr/bin/apt-get'),
    isRoot: process.getuid?.() === 0,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv') || Boolean(process.env['container']),
    isTerminal: [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true),
    env: process.env,
  }
}

/**
 * What to type where it may not be done unasked.
 *
 * @param {readonly string[]} packages - of Debian
 * @param {Pick<Place, 'hasApt' | 'isRoot'>} place
 */
export function howToInstall(packages, { hasApt, isRoot }) {
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`
  if (!hasApt) return `On Debian that is: ${command}`
  return `Run: ${isRoot ? '' : 'sudo '}${command}${isRoot ? '\nOr set KEEPSESSION_INSTALL=1, and it is done for you.' : ''}`
}
