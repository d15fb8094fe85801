import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { madeOnce } from './made-once.ts'
import { copyBuilt } from './serve-made.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a release to come may change, as a change of the sources. */
const changes = {
  /** What page and workers say to each other. */
  protocol: async (folder: string) => {
    const declaration = /(const protocol: ProtocolVersion = )(\d+)/
    let count = 0
    for (const path of ['src/client', 'worker', 'src/sync-client']) {
      for (const file of await readdir(join(folder, path), { recursive: true })) {
        if (!file.endsWith('.ts')) continue
        const source = await readFile(join(folder, path, file), 'utf8')
        if (!declaration.test(source)) continue
        count += 1
        await writeFile(
          join(folder, path, file),
          source.replace(declaration, (_, name: string, version: string) => `${name}${Number(version) + 1}`),
        )
      }
    }
    if (count < 5) throw new Error(`Only ${count} files say the version of the protocol.`)
  },
  /** What is on disk: one store more. */
  format: async (folder: string) => {
    const path = join(folder, 'src/storage/indexeddb/formats.ts')
    const source = await readFile(path, 'utf8')
    const changed = source.replace(/\n\]\n/, "\n  { stores: { later: '' } },\n]\n")
    if (changed === source) throw new Error('The list of formats has another form by now.')
    await writeFile(path, changed)
  },
} satisfies Record<string, (folder: string) => Promise<void>>

/**
 * In place of `build/minify-chunks.ts`: what Terser takes off, nobody here weighs, and it takes longer than the rest of
 * a build.
 */
const withoutTerser = `
export const minifyChunks = () => ({ name: 'keepsession:minify-chunks' })
export const minifyInThread = async (code) => code
`

export type ReleaseChange = keyof typeof changes

/** Builds the package as a release with these changes would be, into the folder `dist` of another one. */
export async function buildRelease(...changed: readonly ReleaseChange[]): Promise<string> {
  const folder = await madeOnce(`release-${changed.join('-')}`, async (made) => {
    for (const part of [
      'src',
      'worker',
      'build',
      'vite.config.ts',
      'package.json',
      ...(await readdir(root)).filter((file) => /^tsconfig.*\.json$/.test(file)),
    ])
      await cp(join(root, part), join(made, part), { recursive: true })
    await symlink(join(root, 'node_modules'), join(made, 'node_modules'), 'junction')
    for (const one of changed) await changes[one](made)
    await writeFile(join(made, 'build/minify-chunks.ts'), withoutTerser)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'],
      { cwd: made, encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`The changed package does not build:\n${stdout}${stderr}`)
  })
  return join(folder, 'dist')
}

const page = `<!doctype html><title>keepsession</title>
<script type="module">window.sdk = await import('./dist/index.js')</script>`

const workers = ['session', 'job', 'search', 'sync']

/** What the workers of an app are called, once it is built by a bundler that gives them names without a hash. */
export const workerFiles: readonly string[] = workers.map((worker) => `app-${worker}.worker.js`)

/** Gives an app the workers of a release, in the place of those that it has. */
export async function putWorkers(app: string, release: string): Promise<void> {
  const files = await readdir(release)
  for (const [i, worker] of workers.entries()) {
    const script = files.find((file) => file.startsWith(`${worker}.worker-`))
    if (script === undefined) throw new Error(`The release has no ${worker} worker.`)
    await cp(join(release, script), join(app, workerFiles[i]!))
  }
}

/** Starts the workers of an app by names without a hash. What it fetches keeps its names, as with any bundler. */
async function nameWorkersPlainly(app: string): Promise<void> {
  const named = /new Worker\(new URL\((["'])\.\/(\w+)\.worker-[\w-]{5}\.js\1/g
  let count = 0
  for (const file of (await readdir(app)).filter((file) => file.endsWith('.js'))) {
    const code = await readFile(join(app, file), 'utf8')
    const plain = code.replace(named, (_, quote: string, worker: string) => {
      count += 1
      return `new Worker(new URL(${quote}./app-${worker}.worker.js${quote}`
    })
    if (plain !== code) await writeFile(join(app, file), plain)
  }
  if (count < workers.length) throw new Error(`Only ${count} places start a worker by its URL.`)
}

/**
 * Puts a page of one release into a folder, with the workers of another: what a cache leaves of an old one, or what a
 * server has put in their place meanwhile. The names in the package have a hash; those of an app's bundler may have
 * none, as here.
 *
 * @param release - `dist` of the page; absent: this one
 * @param workersOf - `dist` of its workers; absent: those of the page
 */
export async function putRelease(folder: string, name: string, release?: string, workersOf?: string): Promise<void> {
  const own = join(folder, name)
  const dist = join(own, 'dist')
  await mkdir(own)
  if (release === undefined) await copyBuilt(own)
  else await cp(release, dist, { recursive: true })
  await nameWorkersPlainly(dist)
  await putWorkers(dist, workersOf ?? dist)
  await writeFile(join(own, 'index.html'), page)
}
