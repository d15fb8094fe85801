// Bundles the declarations that tsc made: a file for each entry, and two that hold what the entries share, so that a type
// of one entry is the same type in another, and the package stays small.
// Plain JavaScript, because Node 20 runs it.
import { readdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/** Where tsc puts the declarations of all files. */
const made = 'dist/types'

const entries = (await readdir(made)).filter((file) => file.endsWith('.d.ts')).map((file) => basename(file, '.d.ts'))

const entryFiles = new Set(entries.map((entry) => resolve(made, `${entry}.d.ts`)))

/**
 * Only entries of sync may need Yjs, and only one entry each framework: they are optional dependencies. What is of a
 * framework stays in the file of its entry.
 */
function partOf(/** @type {string} */ id) {
  if (/\/types\/bindings\/(?!views)/.test(id)) return undefined
  return /\/types\/sync/.test(id) ? 'sync-types' : 'session-types'
}

const bundle = await rollup({
  input: Object.fromEntries(entries.map((entry) => [entry, join(made, `${entry}.d.ts`)])),
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  plugins: [dts()],
  onwarn: (warning) => {
    throw new Error(`The types can't be bundled: ${warning.message}`)
  },
})
await bundle.write({
  dir: 'dist',
  format: 'es',
  entryFileNames: '[name].d.ts',
  chunkFileNames: '[name].d.ts',
  // Readers of the declarations need the names that the entries have.
  minifyInternalExports: false,
  manualChunks: (id) => (entryFiles.has(id) ? undefined : partOf(id)),
})
await bundle.close()
await rm(made, { recursive: true })
