import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { vi } from 'vitest'
import { freePort, isAnswered } from './free-port.ts'

/** Where the bundlers are that the project itself does not use. `build/install-other-bundlers.mjs` installs them. */
export const otherBundlers = 'test/packaging/other-bundlers'
const folder = fileURLToPath(new URL('other-bundlers/', import.meta.url))
const { resolve } = createRequire(join(folder, 'package.json'))

/** A development server, or one of what was built. */
export interface Running {
  readonly url: string
  close(): Promise<void>
}

/** What the tests need of Vite, in each of its versions. */
interface Vite {
  build(config: object): Promise<unknown>
  createServer(
    config: object,
  ): Promise<{
    listen(): Promise<unknown>
    readonly resolvedUrls: { readonly local: readonly string[] } | null
    close(): Promise<void>
  }>
}

const viteOf = (version: number): Promise<Vite> =>
  import(pathToFileURL(resolve(`vite-${version}`).replace(/index\.cjs$/, 'dist/node/index.js')).href)

export async function buildWithVite(version: number, root: string): Promise<void> {
  const vite = await viteOf(version)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  // What is shortened already takes it minutes to shorten again.
  await vite.build({ root, configFile: false, logLevel: 'error', build: { minify: false } })
}

export async function developWithVite(version: number, root: string, config: object): Promise<Running> {
  const vite = await viteOf(version)
  rmSync(join(root, 'node_modules/.vite'), { recursive: true, force: true })
  const server = await vite.createServer({
    root,
    configFile: false,
    logLevel: 'silent',
    server: { host: '127.0.0.1', port: await freePort() },
    ...config,
  })
  await server.listen()
  return { url: server.resolvedUrls!.local[0]!, close: () => server.close() }
}

interface Rspack {
  rspack(config: object): {
    run(done: (error: Error | null, stats?: { hasErrors(): boolean; toString(options: string): string }) => void): void
    close(done: () => void): void
  }
}

export async function buildWithRspack(root: string): Promise<void> {
  const { rspack } = (await import(pathToFileURL(resolve('@rspack/core')).href)) as Rspack
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const compiler = rspack({
    mode: 'production',
    context: root,
    entry: './main.js',
    output: { path: join(root, 'dist') },
    optimization: { minimize: false },
  })
  await new Promise<void>((done, fail) =>
    compiler.run((error, stats) =>
      compiler.close(() => {
        if (error !== null) fail(error)
        else if (stats?.hasErrors() === true) fail(new Error(stats.toString('errors-only')))
        else done()
      }),
    ),
  )
  cpSync(join(root, 'index.html'), join(root, 'dist/index.html'))
}

/** Writes the app's script as a client component of Next. */
export function writeNextApp(root: string, script: string): void {
  mkdirSync(join(root, 'app'), { recursive: true })
  // The store is opened in an effect: the module runs on the server as well.
  const body = script.replaceAll(/^ *import .*$/gm, '').replace('window.outcome = run().catch(String)', '')
  const imports = script.match(/^ *import .*$/gm)!.join('\n')
  writeFileSync(
    join(root, 'app/page.jsx'),
    `'use client'\n${imports}\nimport { useEffect } from 'react'\n${body}
    export default function Page() {
      useEffect(() => { window.outcome ??= run().catch(String) }, [])
      return null
    }`,
  )
  // What is shortened already takes it minutes to shorten again. Its packages are links to a folder elsewhere, which
  // Turbopack follows below its root only.
  writeFileSync(
    join(root, 'next.config.js'),
    `export default {
      turbopack: { root: '/' },
      experimental: { turbopackMinify: false },
      webpack: (config) => Object.assign(config, { optimization: { ...config.optimization, minimize: false } }),
    }`,
  )
  writeFileSync(
    join(root, 'app/layout.jsx'),
    `export default ({ children }) => <html lang="en"><body>{children}</body></html>`,
  )
}

const next = (): string => resolve('next/dist/bin/next')
const nextEnvironment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }

export function buildWithNext(root: string, bundler: '--turbopack' | '--webpack'): void {
  execFileSync(process.execPath, [next(), 'build', bundler], {
    cwd: root,
    stdio: 'pipe',
    env: { ...nextEnvironment, NODE_ENV: 'production' },
  })
}

/** @param command - `dev`, or `start` for what was built */
export async function runNext(root: string, command: 'dev' | 'start'): Promise<Running> {
  const port = await freePort()
  const child = spawn(process.execPath, [next(), command, '--port', String(port)], {
    cwd: root,
    stdio: 'ignore',
    detached: true,
    env: { ...nextEnvironment, NODE_ENV: command === 'dev' ? 'development' : 'production' },
  })
  const ended = new Promise((done) => child.once('exit', done))
  const close = async (): Promise<void> => {
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  }
  const url = `http://localhost:${port}/`
  try {
    await vi.waitFor(() => isAnswered(url), { timeout: 120_000 })
  } catch (error) {
    await close()
    throw error
  }
  return { url, close }
}
