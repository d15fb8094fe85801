import { link, rename, stat } from 'node:fs/promises'

/**
 * Puts a file where there is none yet. What is there stays, and nobody ever reads a part of a file.
 *
 * @param {string} path - may be left behind
 * @param {string} target
 * @param {typeof link} [linkFile]
 */
export async function placeFirst(path, target, linkFile = link) {
  try {
    await linkFile(path, target)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST')
      await inTurn(() => moveUnlessThere(path, target))
  }
}

/**
 * Some filesystems have no links (exFAT, some network folders), and a name can't be taken and filled at once there. The
 * folder belongs to one server, so it is enough that its own uploads wait for each other.
 *
 * @param {string} path
 * @param {string} target
 */
async function moveUnlessThere(path, target) {
  const isThere = await stat(target).then(
    () => true,
    () => false,
  )
  if (!isThere) await rename(path, target)
}

/** @type {Promise<void>} */
let last = Promise.resolve()

/**
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
function inTurn(work) {
  const done = last.then(work)
  last = done.catch(() => {})
  return done
}
