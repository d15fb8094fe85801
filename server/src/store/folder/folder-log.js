import { copyFile, open, rename, rm } from 'node:fs/promises'
import { frame, readFrames } from '../frames.js'
import { groupCommit } from '../group-commit.js'
import { mergeUpdates } from '../merge-updates.js'
import { needsCompaction } from '../needs-compaction.js'
import { appendedFile, lengthOf } from './appended-file.js'

/**
 * Opens the file of a document: frames, the first of which is the document's name. An incomplete frame at the end,
 * which a crash has left, is cut off. If more than that is unreadable, the file is copied as `….damaged-<time>` first:
 * the rest can be read by hand, and clients send what the server no longer has.
 *
 * @param {string} path - in a folder that exists
 * @param {string} name
 * @param {(message: string) => void} say
 * @param {() => Promise<void>} check - rejects when the folder may belong to another server by now, whose files must
 *   not be overwritten
 * @returns {Promise<{ updates: readonly Uint8Array[], log: import('../store.js').DocumentLog }>}
 */
export async function openFolderLog(path, name, say, check = async () => {}) {
  const opened = await open(path, 'a+')
  try {
    const bytes = await opened.readFile()
    const { contents, length, damaged } = readFrames(bytes)
    if (damaged) {
      await copyFile(path, `${path}.damaged-${Date.now()}`)
      say(
        `${path} (${name}) can't be read beyond byte ${length} of ${bytes.length}; it was copied before that was cut off.`,
      )
    }
    if (length < bytes.length) await opened.truncate(length)
    const file = appendedFile(path, opened, length)
    const start = frame(new TextEncoder().encode(name))
    if (contents.length === 0) await file.write([start])
    return { updates: contents.slice(1), log: folderLog({ path, name, file, start, say, check }) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/**
 * @param {{ path: string, name: string, file: import('./appended-file.js').AppendedFile, start: Uint8Array, say: (message: string) => void, check: () => Promise<void> }} setup -
 * `start`: the first frame
 * @returns {import('../store.js').DocumentLog}
 */
function folderLog({ path, name, file, start, say, check }) {
  let compacted = file.size
  let isClosed = false

  const compact = async () => {
    const parts = [start, frame(mergeUpdates(await readUpdates(path, file.size)))]
    const next = await replaceFile(path, parts, check)
    await file.replace(next, lengthOf(parts)).finally(() => (compacted = file.size))
  }
  const tryCompact = () => compact().catch((error) => say(`${path} (${name}) could not be compacted: ${error}`))

  const commits = groupCommit(async (updates) => {
    if (isClosed) throw new Error(`The log of ${name} is closed`)
    await check()
    try {
      await file.write(updates.map(frame))
    } catch (error) {
      // What was not acknowledged must not return.
      await check()
        .then(file.clean)
        .catch(() => {})
      throw error
    }
    // A server that takes the folder from now on reads what was written. One that took it before may have read too
    // early.
    await check()
    // The updates are stored, even if this fails.
    if (needsCompaction(file.size, compacted)) await tryCompact()
  })

  return {
    get size() {
      return file.size
    },
    append: commits.append,
    compact: () => commits.exclusively(compact),
    newer: async () => [],
    close: ({ compact: isToCompact = false } = {}) =>
      commits.exclusively(async () => {
        if (isClosed) return
        if (isToCompact) await tryCompact()
        isClosed = true
        await file.close()
      }),
  }
}

/**
 * Writes a file and gives it the path of another.
 *
 * @param {string} path
 * @param {readonly Uint8Array[]} parts
 * @param {() => Promise<void>} check
 * @returns {Promise<import('node:fs/promises').FileHandle>} the new file
 */
async function replaceFile(path, parts, check) {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  const file = await open(draft, 'a+')
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
    await check()
    await rename(draft, path)
    return file
  } catch (error) {
    await file.close()
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * @param {string} path
 * @param {number} size - what follows is left over from a failed write
 */
async function readUpdates(path, size) {
  const file = await open(path, 'r')
  try {
    const bytes = await file.readFile()
    const { contents, length } = readFrames(bytes.subarray(0, size))
    // A compaction must not lose what this server wrote itself.
    if (length !== size) throw new Error(`only ${length} of ${size} bytes can be read`)
    return contents.slice(1)
  } finally {
    await file.close()
  }
}
