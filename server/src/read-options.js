import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

/**
 * What a server is started with: flags win over the environment, and that over the file named by `--config` (or
 * `KEEPSESSION_SYNC_CONFIG`), which is JSON with these options. Functions (`authorise`) need a script of one's own that calls
 * `startSyncServer`.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./options.js').SyncServerOptions>} rejects with a `TypeError` for a flag that doesn't exist
 */
export async function readOptions(args, env) {
  const flag = { type: /** @type {const} */ ('string') }
  const { values } = parseArgs({
    args,
    options: { config: flag, port: flag, address: flag, data: flag, secret: flag, postgres: flag, redis: flag },
  })
  /** @param {'config' | 'port' | 'address' | 'data' | 'secret' | 'postgres' | 'redis'} name */
  const read = (name) => values[name] ?? env[`KEEPSESSION_SYNC_${name.toUpperCase()}`]
  const config = read('config')
  const port = read('port')
  const postgres = read('postgres')
  const texts = /** @type {const} */ (['address', 'data', 'secret', 'redis']).flatMap((name) => {
    const value = read(name)
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...(config === undefined ? {} : JSON.parse(await readFile(config, 'utf8'))),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(postgres === undefined ? {} : { database: { kind: 'postgres', url: postgres } }),
    ...Object.fromEntries(texts),
  }
}
