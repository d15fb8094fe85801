import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findProgram } from './find-program.mjs'

/**
 * Finds a Firefox that starts: the one `FIREFOX_PATH` names, else the system's, an Extended Support Release before
 * others.
 *
 * @returns {string | undefined} the path of its executable
 */
export function findFirefox() {
  return findProgram(
    'FIREFOX_PATH',
    [...onPath('firefox-esr'), ...onPath('firefox'), '/Applications/Firefox.app/Contents/MacOS/firefox'],
    starts,
  )
}

/** @param {string} name */
function onPath(name) {
  return (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
}

/**
 * A file isn't enough: Ubuntu's `firefox` is a stub without its snap.
 *
 * @param {string} path
 */
function starts(path) {
  return existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0
}
