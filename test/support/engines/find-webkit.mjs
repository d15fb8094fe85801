import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findProgram } from './find-program.mjs'

/**
 * Finds the small browser that comes with WebKitGTK: the one `WEBKIT_PATH` names, else the system's. Whether it starts
 * shows only on a display.
 *
 * @returns {string | undefined} the path of its executable
 */
export function findWebKit() {
  return findProgram('WEBKIT_PATH', installed(), existsSync)
}

/** Whether there is what gives it a display. */
export function hasXvfb() {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'Xvfb')))
}

/**
 * Debian keeps it in the library folder of the machine's architecture, others among the programs that nobody calls by
 * hand.
 */
function installed() {
  const libraries = existsSync('/usr/lib') ? readdirSync('/usr/lib').map((name) => join('/usr/lib', name)) : []
  return [...libraries, '/usr/libexec', '/usr/lib64'].flatMap((folder) =>
    ['webkit2gtk-4.1', 'webkitgtk-6.0'].map((name) => join(folder, name, 'MiniBrowser')),
  )
}
