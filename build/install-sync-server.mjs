// Makes sure that the sync server's packages are there. Run before whatever starts it, tests it or checks its types.
//
// It is a package of its own, with a lockfile of its own: who builds an app with keepsession needs none of it, and
// Hocuspocus asks for Node 22 or newer, which `npm ci` would complain about on Node 20. The tests run it on Node 20 as
// well.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const server = fileURLToPath(new URL('../server', import.meta.url))
const { dependencies } = read(server)

if (!isInstalled()) {
  console.log('Installing what the sync server needs, once: npm ci in server/')
  // Yjs is the one of the repository, or there were two of it in a process of both. Errors are shown, warnings are
  // explained above.
  const { status } = spawnSync(
    'npm',
    ['ci', '--omit=peer', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: server, stdio: 'inherit', shell: process.platform === 'win32' },
  )
  if (status !== 0 || !isInstalled()) {
    console.error(
      'The sync server could not be installed. Its packages come from the registry that npm is set to: run `npm ci --omit=peer` in server/ to see more.',
    )
    process.exit(1)
  }
}

function isInstalled() {
  return Object.entries(dependencies).every(([name, version]) => versionOf(name) === version)
}

/**
 * @param {string} name
 * @returns {string | undefined} of the package that the server would load
 */
function versionOf(name) {
  for (const folder of [server, dirname(server)]) {
    try {
      return read(join(folder, 'node_modules', name)).version
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
