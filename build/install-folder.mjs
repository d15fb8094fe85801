// Makes sure that the packages of a folder are there that has a package.json and a lockfile of its own.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Installs what the package.json of a folder lists, unless it is there already. Ends the process when that fails.
 *
 * @param {string} name - of the folder, below the repository
 * @param {string} purpose - who needs the packages, as in "what the sync server needs"
 */
export function installFolder(name, purpose) {
  const folder = join(root, name)
  const { dependencies } = read(folder)
  const isInstalled = () =>
    Object.entries(dependencies).every(
      // Another name for a package is `npm:<package>@<version>`.
      ([dependency, version]) => versionOf(folder, dependency) === version.slice(version.lastIndexOf('@') + 1),
    )
  if (isInstalled()) return
  console.log(`Installing ${purpose}, once: npm ci in ${name}/`)
  // Peers are those of the repository, or there were two of them in a process of both. Errors are shown; warnings say
  // that packages ask for a newer Node than 20, and the tests run them on 20 as well.
  const { status } = spawnSync(
    'npm',
    ['ci', '--omit=peer', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' },
  )
  if (status === 0 && isInstalled()) return
  console.error(
    `Could not install ${purpose}. The packages come from the registry that npm is set to: run \`npm ci --omit=peer\` in ${name}/ to see more.`,
  )
  process.exit(1)
}

/**
 * @param {string} folder
 * @param {string} name
 * @returns {string | undefined} version of the package that the folder's code would load
 */
function versionOf(folder, name) {
  for (let place = folder; place.startsWith(root.replace(/[\\/]$/, '')); place = dirname(place)) {
    try {
      return read(join(place, 'node_modules', name)).version
    } catch {
      // Further up.
    }
  }
  return undefined
}

/** @param {string} folder */
function read(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
