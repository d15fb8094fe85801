import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Milliseconds after which nobody writes to an upload any more, whichever server it belongs to. */
const MOST_IDLE = 24 * 60 * 60 * 1000

/**
 * Removes the uploads that servers left when they were killed. Files that cannot be removed do no harm.
 *
 * @param {string} folder
 * @param {{ shared: boolean }} options - `shared`: other servers are writing to it
 * @param {(message: string) => void} say
 */
export async function clearUploads(folder, { shared }, say) {
  const latest = shared ? Date.now() - MOST_IDLE : Infinity
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    try {
      if ((await stat(path)).mtimeMs < latest) await rm(path, { recursive: true, force: true })
    } catch (error) {
      say(`${path} is left over and could not be removed: ${error}`)
    }
  }
}
