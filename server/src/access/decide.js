import { Refusal } from '../refusal.js'

/**
 * Asks for a decision and turns everything that does not allow access into a refusal.
 *
 * @param {import('../options.js').Authorise} authorise
 * @param {string} token
 * @param {string} documentName
 * @returns {Promise<{ access: 'write' | 'read', expires: number | undefined }>}
 * @throws {Refusal}
 */
export async function decide(authorise, token, documentName) {
  /** @type {import('../options.js').Decision} */
  let decision
  try {
    // What says nothing allows nothing.
    decision = (await authorise(token, documentName)) ?? 'denied'
  } catch {
    // A decision that could not be made is not a denial: the client tries again.
    throw new Refusal('authorise-failed')
  }
  const { access, expires } = typeof decision === 'string' ? { access: decision, expires: undefined } : decision
  if (access !== 'write' && access !== 'read') throw new Refusal('denied')
  if (expires !== undefined && !(expires > Date.now())) throw new Refusal('token-expired')
  return { access, expires }
}
