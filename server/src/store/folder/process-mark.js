import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/**
 * Identifies a process on any machine or container: process numbers are reused, and each container counts from 1.
 *
 * @typedef {{ place: string, pid: number, started: string }} ProcessMark `place` is what the number counts in,
 *   `started` is empty where no system says it
 */

/** @returns {Promise<ProcessMark>} of this process */
export async function markProcess() {
  try {
    const place = `${(await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()} ${await readlink('/proc/self/ns/pid')}`
    // Not `process.pid`, because the number has to be one of those that are looked up below.
    const { pid, started } = readStat(await readFile('/proc/self/stat', 'utf8'))
    return { place, pid, started }
  } catch {
    return { place: `${process.platform} ${hostname()}`, pid: process.pid, started: '' }
  }
}

/**
 * Whether a process still runs, if that can be found out from here.
 *
 * @param {ProcessMark} mark
 * @returns {Promise<'runs' | 'ended' | 'unknown'>}
 */
export async function stateOfProcess({ place, pid, started }) {
  const own = await markProcess()
  if (place !== own.place) return 'unknown'
  if (pid === own.pid) return started === own.started ? 'runs' : 'ended'
  if (started !== '') {
    const found = await readFile(`/proc/${pid}/stat`, 'utf8').then(readStat, () => undefined)
    if (found !== undefined) return found.started === started && !found.hasEnded ? 'runs' : 'ended'
  }
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH' ? 'ended' : 'unknown'
  }
}

/**
 * Parses a line of Linux: number, name in brackets, state, and as the 22nd the start time.
 *
 * @param {string} line
 */
function readStat(line) {
  const [state, ...others] = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return { pid: parseInt(line, 10), started: others[18] ?? '', hasEnded: state === 'Z' || state === 'X' }
}
