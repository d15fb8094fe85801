import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'keepsession-uploads-'
/** Milliseconds after which nobody writes to an upload any more, whichever server it belongs to. */
const MOST_IDLE = 24 * 60 * 60 * 1000

/**
 * Makes a folder for the uploads of a server whose blobs are in a database. It is below a folder that all users of the
 * machine share: nobody else can read it, or have made it before. Folders of servers that were killed go.
 *
 * @param {(message: string) => void} say
 * @param {string} [parent]
 */
export async function makeUploadFolder(say, parent = tmpdir()) {
  const folder = await mkdtemp(join(parent, PREFIX))
  const { uid } = await lstat(folder)
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    try {
      const found = name.startsWith(PREFIX) ? await lstat(path) : undefined
      if (found?.isDirectory() && found.uid === uid && found.mtimeMs < Date.now() - MOST_IDLE)
        await rm(path, { recursive: true, force: true })
    } catch (error) {
      say(`${path} is left over and could not be removed: ${error}`)
    }
  }
  return folder
}
