import { createHash } from 'node:crypto'

/**
 * A file name for any text: the same for the same text, and different for different texts, even on file systems that
 * ignore case. Plain names stay readable.
 *
 * @param {string} text
 */
export function fileName(text) {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : `~${createHash('sha256').update(text).digest('hex')}`
}
