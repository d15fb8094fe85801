#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { banner } from './src/banner.js'
import { checkOptions } from './src/check-options.js'
import { help } from './src/help.js'
import { readOptions } from './src/read-options.js'

/** @param {number} code @returns {(error: unknown) => never} */
const exitWith = (code) => (error) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(code)
}

/** @returns {Promise<{ version: string }>} */
const manifest = async () => JSON.parse(await readFile(new URL('./package.json', import.meta.url), 'utf8'))

/** Exit codes as in `--help` and the README: 2 for wrong options, 1 for a server that could not start. */
const asked = await readOptions(process.argv.slice(2), process.env).catch(exitWith(2))
if ('print' in asked) {
  const { version } = await manifest()
  process.stdout.write(asked.print === 'help' ? help() : `${version}\n`)
} else {
  const { options } = asked
  try {
    checkOptions(options)
  } catch (error) {
    exitWith(2)(error)
  }
  // Not before it is needed: it takes most of a second to load.
  const { startSyncServer } = await import('./src/start-sync-server.js')
  const server = await startSyncServer(options).catch(exitWith(1))
  // Whoever reads what it says may end before it does, which would end it with its next word.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Set before the server reports that it runs, because whoever reads that may stop it at once.
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, async () => {
      await server.close()
      process.exit(0)
    })
  }
  const { version } = await manifest()
  console.log(banner(server, options, version))
}
