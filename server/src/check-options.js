import { DEFAULT_LIMITS } from './limits/default-limits.js'

/** @type {readonly (keyof import('./options.js').SyncServerOptions)[]} */
const KNOWN = ['port', 'address', 'data', 'secret', 'tokens', 'authorise', 'database', 'redis', 'limits', 'say']

/**
 * Refuses invalid options before anything happens.
 *
 * @param {import('./options.js').SyncServerOptions} options
 * @throws {TypeError}
 */
export function checkOptions(options) {
  for (const name of Object.keys(options)) {
    // A misspelt `tokens` would give access to everybody whom it was meant to exclude.
    if (!KNOWN.some((known) => known === name))
      throw new TypeError(
        `There is no option \`${name}\`. Known are ${KNOWN.map((known) => `\`${known}\``).join(', ')}.`,
      )
  }
  const { port, secret, tokens, database, redis, limits } = options
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    refuse('port', port, 'a number from 0 to 65535')
  if (secret === '') refuse('secret', secret, 'a text that can’t be guessed')
  if (options.authorise !== undefined && (secret !== undefined || tokens !== undefined)) {
    throw new TypeError('`authorise` decides alone: leave `secret` and `tokens` out, or `authorise`.')
  }
  for (const { token, namespaces, access, expires } of tokens ?? []) {
    if (typeof token !== 'string' || token === '') refuse('token', token, 'a text that can’t be guessed')
    if (namespaces !== undefined && !Array.isArray(namespaces)) refuse('namespaces', namespaces, 'a list')
    if (access !== undefined && access !== 'write' && access !== 'read') refuse('access', access, '`write` or `read`')
    if (expires !== undefined && Number.isNaN(Date.parse(expires))) refuse('expires', expires, 'an ISO date and time')
  }
  if (database !== undefined && database.kind !== 'postgres' && database.kind !== 's3')
    refuse('database.kind', database, '`postgres` or `s3`')
  if (redis !== undefined && !/^rediss?:\/\//.test(redis)) refuse('redis', redis, '`redis://…` or `rediss://…`')
  if (redis !== undefined && database === undefined) {
    throw new TypeError(
      '`redis` connects nodes that share a database. A folder belongs to one: set `database`, or leave `redis` out.',
    )
  }
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (!(name in DEFAULT_LIMITS)) refuse('limits', name, Object.keys(DEFAULT_LIMITS).join(', '))
    if (!(typeof value === 'number' && value > 0)) refuse(`limits.${name}`, value, 'a number above 0')
  }
}

/**
 * @param {string} option
 * @param {unknown} found
 * @param {string} wanted
 * @returns {never}
 */
function refuse(option, found, wanted) {
  throw new TypeError(
    `\`${option}\` is ${typeof found === 'string' ? JSON.stringify(found) : String(found)}; it must be ${wanted}.`,
  )
}
