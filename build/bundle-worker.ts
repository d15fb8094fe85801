import { build } from 'vite'

/** A worker bundled to one script, and the files it was made of. */
export interface BundledWorker {
  readonly code: string
  readonly files: readonly string[]
}

/**
 * Bundles a worker entry, with all its dependencies, into one minified script without `import`.
 *
 * One file because consumers' tools don't follow imports from a dependency's worker: Vite's dev server serves them raw and
 * hangs, others fail to rewrite the path of a second chunk.
 */
export async function bundleWorker(entry: string): Promise<BundledWorker> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    // Dexie's build for today's browsers, minified by Dexie: 2 kB smaller. Its usual entry also guards against a second copy, which a worker can't have.
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
  if (others.length > 0 || chunk.imports.length > 0 || chunk.dynamicImports.length > 0) {
    throw new Error(
      `${entry} must bundle into one file, but needs ${[...others.map((o) => o.fileName), ...chunk.imports, ...chunk.dynamicImports].join(', ')}. ` +
        'A worker may not use import() or assets.',
    )
  }
  return { code: chunk.code, files: chunk.moduleIds.filter((id) => !id.startsWith('\0')) }
}
