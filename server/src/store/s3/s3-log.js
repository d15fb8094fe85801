import { createHash, randomUUID } from 'node:crypto'
import { frame, readFrames } from '../frames.js'
import { groupCommit } from '../group-commit.js'
import { mergeUpdates } from '../merge-updates.js'

/** How many objects are read when a document is opened; more than these are merged. */
const MOST_OBJECTS = 64

/** For each attempt to fail, another node has to compact the document between the listing and the reading. */
const MOST_ATTEMPTS = 10

/**
 * Opens a document whose updates are objects: one for each commit, in no order, because updates need none. Compaction
 * writes one object with the same content and then removes those it has read: a node that dies in between leaves the
 * content twice, and two nodes that compact at once lose nothing.
 *
 * @param {import('./bucket.js').Bucket} bucket
 * @param {string} name
 * @param {(message: string) => void} say
 * @returns {Promise<{ updates: readonly Uint8Array[], log: import('../store.js').DocumentLog }>}
 */
export async function openS3Log(bucket, name, say) {
  const place = `documents/${createHash('sha256').update(name).digest('hex')}/`
  /** By key: bytes. @type {Map<string, number>} */
  const known = new Map()

  /** Reads the objects that are not known yet. */
  const readNew = async () => {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const keys = await bucket.list(place)
      const contents = new Map()
      for (const key of keys) {
        if (known.has(key)) continue
        const content = await bucket.get(key)
        // Another node has merged it with others, and wrote the merged object before it removed this one.
        if (content === undefined) break
        contents.set(key, content)
      }
      if (keys.some((key) => !known.has(key) && !contents.has(key))) continue
      for (const key of known.keys()) if (!keys.includes(key)) known.delete(key)
      for (const [key, { length }] of contents) known.set(key, length)
      return [...contents.values()].flatMap((content) => readObject(name, content))
    }
    throw new Error(`The objects of ${name} change faster than they can be read`)
  }

  /** @param {readonly Uint8Array[]} updates */
  const write = async (updates) => {
    const key = `${place}${Date.now().toString(36).padStart(9, '0')}-${randomUUID()}`
    const content = Buffer.concat(updates.map(frame))
    await bucket.put(key, content)
    known.set(key, content.length)
  }

  const compact = async () => {
    const before = [...known.keys()]
    const contents = await Promise.all(before.map((key) => bucket.get(key)))
    const updates = contents.flatMap((content) => (content === undefined ? [] : readObject(name, content)))
    await write([mergeUpdates(updates)])
    for (const [index, key] of before.entries()) {
      if (contents[index] !== undefined) await bucket.remove(key)
      known.delete(key)
    }
  }

  const commits = groupCommit(async (updates) => {
    await write(updates)
    if (known.size > MOST_OBJECTS) await compact().catch((error) => say(`${name} could not be compacted: ${error}`))
  })

  return {
    updates: await readNew(),
    log: {
      get size() {
        return [...known.values()].reduce((sum, length) => sum + length, 0)
      },
      append: commits.append,
      compact: () => commits.exclusively(compact),
      async newer() {
        /** @type {Uint8Array[]} */
        let updates = []
        await commits.exclusively(async () => {
          updates = await readNew()
        })
        return updates
      },
      close: ({ compact: isToCompact = false } = {}) =>
        commits.exclusively(async () => {
          if (isToCompact) await compact().catch((error) => say(`${name} could not be compacted: ${error}`))
        }),
    },
  }
}

/**
 * @param {string} name
 * @param {Uint8Array} content
 */
function readObject(name, content) {
  const { contents, length } = readFrames(content)
  if (length < content.length)
    throw new Error(`An object of ${name} can't be read beyond byte ${length} of ${content.length}`)
  return contents
}
