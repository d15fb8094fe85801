import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Folders of servers in this process. */
const own = new Set()

/**
 * Makes sure that one server writes to a folder: two would overwrite each other's documents. The lock names a process; one of a process
 * that is gone counts for nothing.
 *
 * @param {string} folder - exists
 * @returns {Promise<() => Promise<void>>} gives it back
 */
export async function lockFolder(folder) {
  const path = join(resolve(folder), 'server.pid')
  const holder = own.has(path) ? process.pid : Number(await readFile(path, 'utf8').catch(() => '0'))
  // In a container each server is process 1: its own number in the file is that of the run before, unless this process holds it.
  if (own.has(path) || (holder !== process.pid && isAlive(holder))) {
    throw new Error(`The folder ${folder} is in use by the sync server of process ${holder}. Stop that one, or give this one a folder of its own; several nodes need a shared database.`)
  }
  await writeFile(path, String(process.pid))
  own.add(path)
  return async () => {
    own.delete(path)
    await rm(path, { force: true })
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
