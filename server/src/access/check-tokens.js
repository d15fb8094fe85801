import { knowNames, refuse } from '../refuse-option.js'

/**
 * Refuses tokens that would allow something else than they say.
 *
 * @param {unknown} tokens
 * @throws {TypeError}
 */
export function checkTokens(tokens) {
  if (!Array.isArray(tokens)) refuse('tokens', tokens, 'a list')
  for (const one of tokens) {
    if (typeof one !== 'object' || one === null) refuse('tokens', one, 'a list of objects')
    // Misspelt `namespaces` would open all of them.
    knowNames('property of a token', one, ['token', 'namespaces', 'access', 'expires'])
    const { token, namespaces, access, expires } = one
    if (typeof token !== 'string' || token === '') refuse('token', token, 'a text that can’t be guessed')
    if (namespaces !== undefined && !isTexts(namespaces)) refuse('namespaces', namespaces, 'a list of texts')
    if (access !== undefined && access !== 'write' && access !== 'read') refuse('access', access, '`write` or `read`')
    if (expires !== undefined && (typeof expires !== 'string' || Number.isNaN(Date.parse(expires))))
      refuse('expires', expires, 'an ISO date and time')
  }
}

/** @param {unknown} value */
const isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')
