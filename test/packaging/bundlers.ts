import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build as esbuild } from 'esbuild-wasm'
import { rollup } from 'rollup'
import { createServer, build as vite } from 'vite'
import webpack from 'webpack'

export interface Bundler {
  /** Builds `main.js` and `index.html` of an app into its `dist`, as plainly as this tool can. */
  build(root: string): Promise<void>
  /** It leaves files alone that are named by `new URL('./…', import.meta.url)`, so that the app has to copy them. */
  readonly needsCopies: boolean
}

/** The tools whose users the README speaks to. */
export const bundlers: Readonly<Record<string, Bundler>> = {
  Vite: {
    needsCopies: false,
    build: (root) => fresh(root, () => vite({ root, configFile: false, logLevel: 'error' })),
  },
  webpack: {
    needsCopies: false,
    build: (root) =>
      fresh(root, async () => {
        const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
          // What is shortened already takes it a minute to shorten again.
          const compiler = webpack({
            mode: 'production',
            context: root,
            entry: './main.js',
            output: { path: join(root, 'dist') },
            optimization: { minimize: false },
          })
          compiler?.run((error, result) => compiler.close(() => (error ? reject(error) : resolve(result))))
        })
        if (stats?.hasErrors() !== false) throw new Error(stats?.toString('errors-only') ?? 'webpack gave nothing')
        copyPage(root)
      }),
  },
  Rollup: {
    needsCopies: true,
    build: (root) =>
      fresh(root, async () => {
        // The usual two: packages by their names, and Dexie, whose browser build is no ES module.
        const bundle = await rollup({
          input: join(root, 'main.js'),
          plugins: [nodeResolve({ browser: true }), commonjs()],
          logLevel: 'silent',
        })
        await bundle.write({ dir: join(root, 'dist'), format: 'es' })
        await bundle.close()
        copyPage(root)
      }),
  },
  esbuild: {
    needsCopies: true,
    build: (root) =>
      fresh(root, async () => {
        await esbuild({
          absWorkingDir: root,
          entryPoints: ['main.js'],
          bundle: true,
          splitting: true,
          format: 'esm',
          outdir: 'dist',
          logLevel: 'error',
        })
        copyPage(root)
      }),
  },
}

async function fresh(root: string, build: () => Promise<unknown>): Promise<void> {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  await build()
}

/** These tools build scripts, not pages. */
const copyPage = (root: string): void => cpSync(join(root, 'index.html'), join(root, 'dist/index.html'))

/** Vite's development server, which bundles nothing. */
export async function developing(root: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
  })
  await server.listen()
  return { url: server.resolvedUrls!.local[0]!, close: () => server.close() }
}
