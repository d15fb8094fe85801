// As run.mjs, for the rows of sync.

import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { runnerImport } from 'vite'

// Yjs freezes every value in development, which nobody ships. Vite would say so when it is loaded.
process.env.NODE_ENV = 'production'
// For the rows about heap.
setFlagsFromString('--expose-gc')
globalThis.gc = runInNewContext('gc')
const { module } = await runnerImport(fileURLToPath(new URL('./sync/main.ts', import.meta.url)))
await module.main(process.argv.slice(2))
