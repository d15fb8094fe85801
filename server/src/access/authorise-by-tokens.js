import { createHash } from 'node:crypto'

/**
 * Decides by a list of tokens. They are looked up by their hashes, so that the time of a lookup reveals nothing about
 * them. Of several entries of one token, the one counts that allows most at this time.
 *
 * @param {readonly import('../options.js').Token[]} tokens
 * @returns {import('../options.js').Authorise}
 */
export function authoriseByTokens(tokens) {
  /** @type {Map<string, Entry[]>} */
  const known = new Map()
  for (const { token, namespaces, access = 'write', expires } of tokens) {
    const entries = known.get(hash(token)) ?? []
    entries.push({ namespaces, access, ...(expires === undefined ? {} : { expires: Date.parse(expires) }) })
    known.set(hash(token), entries)
  }
  return (token, documentName) => {
    const namespace = documentName.slice(0, documentName.indexOf('/'))
    const now = Date.now()
    /** @param {Entry} entry */
    const worth = ({ access, expires = Infinity }) => (expires > now ? (access === 'write' ? 2 : 1) : 0)
    const best = (known.get(hash(token)) ?? [])
      .filter(({ namespaces }) => namespaces === undefined || namespaces.some((one) => matches(one, namespace)))
      .sort((a, b) => worth(b) - worth(a))[0]
    if (best === undefined) return 'denied'
    const { access, expires } = best
    return expires === undefined ? access : { access, expires }
  }
}

/**
 * What one entry of the list allows.
 *
 * @typedef {{ readonly namespaces: readonly string[] | undefined, readonly access: 'write' | 'read', readonly expires?:
 *   number }} Entry
 */

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
