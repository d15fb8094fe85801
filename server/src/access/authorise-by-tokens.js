import { createHash } from 'node:crypto'

/**
 * Decides by a list of tokens. They are looked up by their hashes, so that the time of a lookup reveals nothing about
 * them.
 *
 * @param {readonly import('../options.js').Token[]} tokens
 * @returns {import('../options.js').Authorise}
 */
export function authoriseByTokens(tokens) {
  const known = new Map(
    tokens.map((one) => [
      hash(one.token),
      { ...one, until: one.expires === undefined ? undefined : Date.parse(one.expires) },
    ]),
  )
  return (token, documentName) => {
    const found = known.get(hash(token))
    if (found === undefined) return 'denied'
    const namespace = documentName.slice(0, documentName.indexOf('/'))
    const isOpen = found.namespaces === undefined || found.namespaces.some((one) => matches(one, namespace))
    if (!isOpen) return 'denied'
    const access = found.access ?? 'write'
    return found.until === undefined ? access : { access, expires: found.until }
  }
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * @param {string} pattern
 * @param {string} namespace
 */
function matches(pattern, namespace) {
  return pattern.endsWith('*') ? namespace.startsWith(pattern.slice(0, -1)) : namespace === pattern
}
