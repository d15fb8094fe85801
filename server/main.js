#!/usr/bin/env node
import { readOptions } from './src/read-options.js'
import { startSyncServer } from './src/start-sync-server.js'

try {
  const options = await readOptions(process.argv.slice(2), process.env)
  const server = await startSyncServer(options)
  console.log(`keepsession sync server on ${server.url}`)
  if (options.secret === undefined && server.secret !== '') console.log(`Its secret, until it is started again: ${server.secret}`)
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, async () => {
      await server.close()
      process.exit(0)
    })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
