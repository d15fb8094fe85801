import { copyFile, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { frame, readFrames } from '../frames.js'
import { groupCommit } from '../group-commit.js'
import { mergeUpdates } from '../merge-updates.js'
import { needsCompaction } from '../needs-compaction.js'
import { syncFolder } from './sync-folder.js'

/**
 * Opens the file of a document: frames, the first of which is the document's name. What a crash left half written at its end is cut off.
 * If more than that is unreadable, the file is kept as `….damaged-<time>` first: what comes after can be read by hand, and clients
 * send what the server no longer says it has.
 *
 * @param {string} path - in a folder that exists
 * @param {string} name
 * @param {(message: string) => void} say
 * @param {() => Promise<void>} check - rejects when the file may be another server's by now, who must not be written over
 * @returns {Promise<{ updates: readonly Uint8Array[], log: import('../store.js').DocumentLog }>}
 */
export async function openFolderLog(path, name, say, check = async () => {}) {
  let file = await open(path, 'a+')
  try {
    const bytes = await file.readFile()
    const { contents, length, damaged } = readFrames(bytes)
    if (damaged) {
      await copyFile(path, `${path}.damaged-${Date.now()}`)
      say(`${path} (${name}) can't be read beyond byte ${length} of ${bytes.length}; it was copied before that was cut off.`)
    }
    if (length < bytes.length) await file.truncate(length)
    let size = length
    let compacted = length
    /** What the file really has, where a failed write may have left more behind. */
    let isClean = true
    /** False while the folder may still name another file after a power cut: nothing may be promised then. */
    let isPlaced = contents.length > 0
    const place = async () => {
      await syncFolder(dirname(path))
      isPlaced = true
    }

    /** @param {readonly Uint8Array[]} parts */
    const write = async (parts) => {
      if (!isPlaced) await place()
      if (!isClean) await file.truncate(size)
      isClean = false
      const { bytesWritten } = await file.writev([...parts])
      const wanted = parts.reduce((sum, { length }) => sum + length, 0)
      // A full disk takes what it can and says nothing until the next call.
      if (bytesWritten < wanted) throw Object.assign(new Error(`Only ${bytesWritten} of ${wanted} bytes could be written`), { code: 'ENOSPC' })
      await file.datasync()
      size += wanted
      isClean = true
    }

    const start = frame(new TextEncoder().encode(name))
    if (contents.length === 0) {
      await write([start])
      compacted = size
    }

    const compact = async () => {
      const parts = [start, frame(mergeUpdates(await readUpdates(path, size)))]
      const draft = `${path}.new`
      await rm(draft, { force: true })
      const next = await open(draft, 'a+')
      try {
        for (const part of parts) await next.writeFile(part)
        await next.sync()
        await check()
        await rename(draft, path)
      } catch (error) {
        await next.close()
        await rm(draft, { force: true }).catch(() => {})
        throw error
      }
      // From here on the old file has no name: what is written next belongs into the new one.
      const old = file
      file = next
      size = compacted = parts.reduce((sum, { length }) => sum + length, 0)
      isClean = true
      isPlaced = false
      await old.close()
      await place()
    }

    let isClosed = false
    const commits = groupCommit(async (updates) => {
      if (isClosed) throw new Error(`The log of ${name} is closed`)
      await check()
      try {
        await write(updates.map(frame))
      } catch (error) {
        // What isn't promised isn't to come back either; where even that fails, the next write does it.
        await check().then(() => file.truncate(size)).then(() => (isClean = true), () => {})
        throw error
      }
      // Whoever takes the folder over from here on reads what was written. Before, it may have read too early.
      await check()
      // The updates are stored, whatever becomes of this.
      if (needsCompaction(size, compacted)) await compact().catch((error) => say(`${path} (${name}) could not be compacted: ${error}`))
    })

    return {
      updates: contents.slice(1),
      log: {
        get size() {
          return size
        },
        append: commits.append,
        compact: () => commits.exclusively(compact),
        newer: async () => [],
        close: ({ compact: isToCompact = false } = {}) =>
          commits.exclusively(async () => {
            if (isClosed) return
            if (isToCompact) await compact().catch((error) => say(`${path} (${name}) could not be compacted: ${error}`))
            isClosed = true
            await file.close()
          }),
      },
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * @param {string} path
 * @param {number} size - what lies beyond is left over from a write that failed
 */
async function readUpdates(path, size) {
  const file = await open(path, 'r')
  try {
    const bytes = await file.readFile()
    const { contents, length } = readFrames(bytes.subarray(0, size))
    // Rather no compaction than one that loses what this server wrote itself.
    if (length !== size) throw new Error(`only ${length} of ${size} bytes can be read`)
    return contents.slice(1)
  } finally {
    await file.close()
  }
}
