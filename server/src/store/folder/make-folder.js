import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncFolder } from './sync-folder.js'

/**
 * Creates a folder and its missing parents in such a way that they still exist after a power cut, and that only this
 * user can read them.
 *
 * @param {string} path
 */
export async function makeFolder(path) {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made))
    await syncFolder(dirname(made))
}
