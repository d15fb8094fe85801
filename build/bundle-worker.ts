import { build, type Plugin } from 'vite'

/** A worker bundled to one script, and the files it was made of. */
export interface BundledWorker {
  readonly code: string
  readonly files: readonly string[]
}

/**
 * Bundles a worker entry, with all its dependencies, into one minified script without `import`.
 *
 * One file because consumers' tools don't follow imports from a dependency's worker: Vite's dev server serves them raw
 * and hangs, others fail to rewrite the path of a second chunk.
 */
export async function bundleWorker(entry: string): Promise<BundledWorker> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [withoutPreloading()],
    // Dexie's build for today's browsers, minified by Dexie: 2 kB smaller. Its usual entry also guards against a second
    // copy, which a worker can't have.
    resolve: { alias: { dexie: 'dexie/dist/modern/dexie.min.mjs' } },
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: entry, output: { format: 'es', codeSplitting: false } },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  if (output === undefined || !('output' in output)) throw new Error(`Bundling ${entry} gave no output`)
  const [chunk, ...others] = output.output
  // An `import()` of what is in the file already stays one of the file itself, which no worker needs to load.
  const needed = [...others.map((o) => o.fileName), ...chunk.imports, ...chunk.dynamicImports].filter(
    (file) => file !== chunk.fileName,
  )
  if (needed.length > 0)
    throw new Error(
      `${entry} must bundle into one file, but needs ${needed.join(', ')}. A worker may not use assets, nor import() what is not bundled.`,
    )
  return { code: chunk.code, files: chunk.moduleIds.filter((id) => !id.startsWith('\0')) }
}

/**
 * Vite puts a helper around each `import()` that tells `document` what to load, and `window` what went wrong. A worker
 * has neither.
 */
function withoutPreloading(): Plugin {
  return {
    name: 'keepsession:without-preloading',
    enforce: 'pre',
    load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined),
  }
}
