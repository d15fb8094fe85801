import { resolve } from 'node:path'

/**
 * What is printed once the server listens: where it is, where the data is, and what clients need.
 *
 * @param {import('./options.js').SyncServer} server
 * @param {import('./options.js').SyncServerOptions} options
 * @param {string} version
 */
export function banner({ url, httpUrl, secret }, options, version) {
  return [
    `keepsession sync server on ${url}`,
    `  version   ${version}, on Node ${process.versions.node}`,
    `  data      ${placeOf(options)}`,
    `  tokens    ${tokensOf(options, secret)}`,
    `  health    ${httpUrl}/health, ${httpUrl}/metrics`,
  ].join('\n')
}

/** @param {import('./options.js').SyncServerOptions} options */
function placeOf({ database, data = './data' }) {
  if (database === undefined) return resolve(data)
  return database.kind === 'postgres' ? 'a PostgreSQL database' : `the bucket ${database.bucket}`
}

/**
 * @param {import('./options.js').SyncServerOptions} options
 * @param {string} secret
 */
function tokensOf({ secret: given, tokens = [] }, secret) {
  if (given === undefined && secret !== '') return `${secret} (opens everything, until the server is started again)`
  const counted = tokens.length === 0 ? [] : [`${tokens.length} of the configuration`]
  return [...(given === undefined ? [] : ['the secret that was set']), ...counted].join(', ')
}
