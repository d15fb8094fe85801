import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileName } from './file-name.js'
import { openFolderLog } from './folder-log.js'
import { lockFolder } from './lock-folder.js'
import { makeFolder } from './make-folder.js'

/**
 * Documents as files below a folder: `documents/<namespace>/<document>.log`.
 *
 * @param {string} folder - created if it is missing
 * @param {(message: string) => void} say
 * @returns {Promise<import('../store.js').DocumentStore>}
 */
export async function openFolderStore(folder, say) {
  const documents = join(folder, 'documents')
  await makeFolder(documents)
  const lock = await lockFolder(folder, say)
  /** By document: its log, open or opening. @type {Map<string, Promise<import('../store.js').DocumentLog>>} */
  const logs = new Map()
  /** By document: a log that is being closed. @type {Map<string, Promise<void>>} */
  const closing = new Map()

  /** @param {string} name */
  const openLog = async (name) => {
    await closing.get(name)
    const place = join(documents, fileName(name.slice(0, name.indexOf('/'))))
    await makeFolder(place)
    await lock.check()
    return openFolderLog(join(place, `${fileName(name.slice(name.indexOf('/') + 1))}.log`), name, say, lock.check)
  }

  return {
    shared: false,
    get lost() {
      return lock.lost
    },
    async open(name) {
      if (logs.has(name)) throw new Error(`${name} is open already`)
      const opening = openLog(name)
      const log = opening.then(({ log }) => ({
        get size() {
          return log.size
        },
        append: log.append,
        compact: log.compact,
        newer: log.newer,
        close: (/** @type {{ compact?: boolean } | undefined} */ options) => {
          const closed = log.close(options).finally(() => closing.delete(name))
          if (logs.delete(name)) closing.set(name, closed)
          return closed
        },
      }))
      logs.set(name, log)
      log.catch(() => logs.delete(name))
      return { updates: (await opening).updates, log: await log }
    },
    async probe() {
      await lock.check()
      const path = join(folder, 'probe')
      try {
        const file = await open(path, 'w')
        try {
          // The most that a client may send at once.
          await file.writeFile(new Uint8Array(1024 * 1024).fill(1))
          await file.sync()
        } finally {
          await file.close()
        }
      } finally {
        await rm(path, { force: true }).catch(() => {})
      }
    },
    async close() {
      await Promise.allSettled([...logs.values()].map(async (log) => (await log).close()))
      await Promise.allSettled(closing.values())
      await lock.release()
    },
  }
}
