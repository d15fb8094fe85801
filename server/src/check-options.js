import { checkTokens } from './access/check-tokens.js'
import { DEFAULT_LIMITS } from './limits/default-limits.js'
import { knowNames, refuse } from './refuse-option.js'

const KNOWN = ['port', 'address', 'data', 'secret', 'tokens', 'authorise', 'database', 'redis', 'limits', 'say']
/** What a database of each kind needs, and what it may have. */
const DATABASES = {
  postgres: { needs: ['url'], may: [] },
  s3: { needs: ['endpoint', 'bucket', 'accessKeyId', 'secretAccessKey'], may: ['region', 'prefix'] },
}

/**
 * Refuses invalid options before anything happens. A configuration is JSON, which no compiler has checked.
 *
 * @param {import('./options.js').SyncServerOptions} options
 * @throws {TypeError}
 */
export function checkOptions(options) {
  // A misspelt `tokens` would give access to everybody whom it was meant to exclude.
  knowNames('option', options, KNOWN)
  const { port, secret, tokens, database, redis, limits = {} } = options
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    refuse('port', port, 'a number from 0 to 65535')
  for (const name of /** @type {const} */ (['address', 'data', 'secret', 'redis']))
    if (options[name] !== undefined && typeof options[name] !== 'string') refuse(name, options[name], 'a text')
  for (const name of /** @type {const} */ (['authorise', 'say']))
    if (options[name] !== undefined && typeof options[name] !== 'function')
      refuse(name, options[name], 'a function, which only a script can give')
  if (secret === '') refuse('secret', secret, 'a text that can’t be guessed')
  if (options.authorise !== undefined && (secret !== undefined || tokens !== undefined)) {
    throw new TypeError('`authorise` decides alone: leave `secret` and `tokens` out, or `authorise`.')
  }
  if (tokens !== undefined) checkTokens(tokens)
  if (database !== undefined) checkDatabase(database)
  if (redis !== undefined && !(/^rediss?:\/\//.test(redis) && URL.canParse(redis)))
    refuse('redis', redis, '`redis://…` or `rediss://…`')
  if (redis !== undefined && database === undefined) {
    throw new TypeError(
      '`redis` connects nodes that share a database. A folder belongs to one: set `database`, or leave `redis` out.',
    )
  }
  if (typeof limits !== 'object' || limits === null) refuse('limits', limits, 'an object')
  knowNames('limit', limits, Object.keys(DEFAULT_LIMITS))
  for (const [name, value] of Object.entries(limits))
    if (!(typeof value === 'number' && value > 0)) refuse(`limits.${name}`, value, 'a number above 0')
}

/** @param {NonNullable<import('./options.js').SyncServerOptions['database']>} database */
function checkDatabase(database) {
  if (typeof database !== 'object' || database === null || !Object.hasOwn(DATABASES, database.kind))
    refuse('database.kind', /** @type {unknown} */ (database?.kind ?? database), '`postgres` or `s3`')
  const { needs, may } = DATABASES[database.kind]
  knowNames('option of `database`', database, ['kind', ...needs, ...may])
  for (const [name, value] of Object.entries({ ...Object.fromEntries(needs.map((name) => [name, ''])), ...database }))
    if (typeof value !== 'string' || (value === '' && needs.includes(name))) refuse(`database.${name}`, value, 'a text')
}
