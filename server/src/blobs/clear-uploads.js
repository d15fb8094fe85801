import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes the uploads that servers of this folder left when they were killed. Files that cannot be removed do no harm.
 *
 * @param {string} folder - which no running server writes to
 * @param {(message: string) => void} say
 */
export async function clearUploads(folder, say) {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    await rm(path, { recursive: true, force: true }).catch((error) =>
      say(`${path} is left over and could not be removed: ${error}`),
    )
  }
}
