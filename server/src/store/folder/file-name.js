import { createHash } from 'node:crypto'

/**
 * A file name for any text, the same for the same, and different on file systems that don't tell case either. Plain ones stay readable.
 *
 * @param {string} text
 */
export function fileName(text) {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : `~${createHash('sha256').update(text).digest('hex')}`
}
