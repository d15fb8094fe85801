import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { FLAGS, variableOf } from './flags.js'

/**
 * What the command line asks for: to print something, or a server with these options. Flags take precedence over the
 * environment, and that over the file named by `--config`, which is JSON. Functions (`authorise`) need a script that
 * calls `startSyncServer`.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ readonly print: 'help' | 'version' } | { readonly options: import('./options.js').SyncServerOptions }>} rejects with a `TypeError`
 * for a flag that doesn't exist, and for a file that can't be read
 */
export async function readOptions(args, env) {
  const values = parse(args)
  if (values.help === true) return { print: 'help' }
  if (values.version === true) return { print: 'version' }
  const given = new Map(
    FLAGS.flatMap((flag) => {
      const value = values[flag.name] ?? env[variableOf(flag)]
      return typeof value === 'string' ? [[flag.name, value]] : []
    }),
  )
  const [config, port, postgres] = [given.get('config'), given.get('port'), given.get('postgres')]
  const texts = /** @type {const} */ (['address', 'data', 'secret', 'redis']).flatMap((name) =>
    given.has(name) ? [[name, given.get(name)]] : [],
  )
  return {
    options: {
      ...(config === undefined ? {} : await readConfig(config)),
      ...(port === undefined ? {} : { port: /** @type {number} */ (/^\d+$/.test(port) ? Number(port) : port) }),
      ...(postgres === undefined ? {} : { database: { kind: 'postgres', url: postgres } }),
      ...Object.fromEntries(texts),
    },
  }
}

/** @param {string[]} args */
function parse(args) {
  /** @type {import('node:util').ParseArgsConfig['options']} */
  const options = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } }
  for (const { name } of FLAGS) options[name] = { type: 'string' }
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    const known = [...FLAGS.map(({ name }) => name), 'help', 'version']
    // The rest of Node's message is about commands that take file names.
    const [why] = /** @type {Error} */ (error).message.split(/\. |\n/)
    throw new TypeError(`${why}. Known are ${known.map((name) => `--${name}`).join(', ')}; --help describes them.`)
  }
}

/** @param {string} file */
async function readConfig(file) {
  /** @type {unknown} */
  let config
  try {
    config = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new TypeError(
      `\`config\` names "${file}", which can't be read as JSON: ${/** @type {Error} */ (error).message}`,
    )
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new TypeError(`\`config\` names "${file}", which does not contain a JSON object.`)
  return config
}
