import { open } from 'node:fs/promises'

/**
 * Makes the names in a folder durable. Windows cannot open folders, and does not need this.
 *
 * @param {string} path
 */
export async function syncFolder(path) {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
