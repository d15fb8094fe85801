import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { markProcess, stateOfProcess } from './process-mark.js'

/** Milliseconds between two renewals of a lock. */
const RENEWAL = 2_000

/**
 * A lock that was not renewed during this many checks is abandoned. Checks are counted, because a machine that sleeps
 * makes none.
 */
const LOOKS = 5

/** Milliseconds in which another server that took the same lock has overwritten it. */
const SETTLING = 100

/**
 * Makes sure that only one server writes to a folder: two would overwrite each other's documents. The lock is a file
 * with a random name and the process that holds it, which renews the file's time. If the process has ended on this
 * machine, the lock does not count. A process that cannot be seen from here, as in another container, is watched,
 * without comparing clocks.
 *
 * @typedef {{ readonly lost: Error | undefined, check(): Promise<void>, release(): Promise<void> }} FolderLock `check`
 *   rejects unless the folder belongs to this server at this moment; once it doesn't, it never does again, and `lost`
 *   says so
 * @param {string} folder - exists
 * @param {(message: string) => void} say
 * @param {{ renewal?: number }} [timing]
 * @returns {Promise<FolderLock>} rejects when the folder belongs to another server
 */
export async function lockFolder(folder, say, { renewal = RENEWAL } = {}) {
  const path = join(resolve(folder), 'server.lock')
  const own = JSON.stringify({ id: randomUUID(), ...(await markProcess()) })
  while (!(await create(path, own))) {
    const state = await stateOfLock(path, renewal, say)
    if (state === 'free') continue
    if (state === 'stale') {
      await replace(path, own)
      await sleep(SETTLING)
      if ((await read(path))?.text === own) break
    }
    throw new Error(
      `The folder ${folder} is in use by another sync server (${await read(path).then((lock) => lock?.text, String)}). Stop that one, or give this one a folder of its own; several nodes need a shared database.`,
    )
  }

  /** @type {Error | undefined} */
  let lost
  const check = async () => {
    if (lost === undefined && readNow(path) !== own) {
      lost = new Error(
        `The folder ${folder} belongs to another sync server now: this one stores nothing until it is restarted.`,
      )
    }
    if (lost !== undefined) throw lost
  }
  // Sets a time and writes nothing, so that the lock is not lost on a full disk.
  const renew = () => check().then(() => utimes(path, new Date(), new Date()))
  const timer = setInterval(() => void renew().catch(() => {}), renewal).unref()

  return {
    get lost() {
      return lost
    },
    check,
    async release() {
      clearInterval(timer)
      await check().then(
        () => rm(path, { force: true }),
        () => {},
      )
    },
  }
}

/**
 * @param {string} path
 * @param {number} renewal
 * @param {(message: string) => void} say
 * @returns {Promise<'held' | 'stale' | 'free'>}
 */
async function stateOfLock(path, renewal, say) {
  const found = await read(path)
  if (found === undefined) return 'free'
  const mark = parse(found.text)
  const process = mark === undefined ? 'unknown' : await stateOfProcess(mark)
  if (process !== 'unknown') return process === 'runs' ? 'held' : 'stale'
  say(
    `${path} was left behind, or is held by a server that can't be seen from here. It is watched for ${(renewal * LOOKS) / 1000} s.`,
  )
  for (let look = 0; look < LOOKS; look++) {
    await sleep(renewal)
    const now = await read(path)
    if (now === undefined) return 'free'
    if (now.text !== found.text || now.renewed !== found.renewed) return 'held'
  }
  return 'stale'
}

/**
 * @param {string} path
 * @returns {Promise<{ text: string, renewed: number } | undefined>} undefined when nobody holds it
 */
async function read(path) {
  try {
    // Opened again each time, because only then a network file system asks its server.
    const file = await open(path, 'r')
    try {
      return { renewed: (await file.stat()).mtimeMs, text: await file.readFile('utf8') }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Synchronously: it is called twice for each write, and that many turns through Node's threads take longer on a busy
 * machine.
 *
 * @param {string} path
 * @returns {string | undefined} undefined when nobody holds it
 */
function readNow(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {Promise<boolean>} false if the file exists already
 */
async function create(path, text) {
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    await rm(path, { force: true })
    throw error
  }
}

/**
 * Through a new file, because only its owner may renew a lock.
 *
 * @param {string} path
 * @param {string} text
 */
async function replace(path, text) {
  const draft = `${path}.new-${randomUUID()}`
  try {
    await writeFile(draft, text)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * @param {string} text
 * @returns {import('./process-mark.js').ProcessMark | undefined} undefined when a power cut left nothing that can be read
 */
function parse(text) {
  try {
    const { place, pid, started } = JSON.parse(text)
    return typeof place === 'string' && Number.isInteger(pid) && pid > 0
      ? { place, pid, started: String(started) }
      : undefined
  } catch {
    return undefined
  }
}
