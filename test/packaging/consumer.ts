import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { madeOnce } from '../support/made-once.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** An app that has the package installed from its tarball, in a folder of its own. */
export interface Consumer {
  readonly root: string
  /** The tarball, as it would be published. */
  readonly tarball: string
  /** Where the package is installed. */
  readonly installed: string
  write(file: string, content: string): void
  remove(): void
}

/** The tarball of `dist` as it is, packed once in a run. */
export async function packed(): Promise<string> {
  const folder = await madeOnce('package', async (destination) => {
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], {
      cwd: project,
      stdio: 'ignore',
    })
  })
  const [tarball] = readdirSync(folder)
  if (tarball === undefined) throw new Error('npm packed nothing.')
  return join(folder, tarball)
}

/**
 * Installs the package from its tarball into an empty app. The package's dependencies are links to the project's own
 * copies, so that no network is needed.
 */
export async function createConsumer(): Promise<Consumer> {
  const tarball = await packed()
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'keepsession-consumer-')))
  const installed = join(root, 'node_modules/keepsession')
  mkdirSync(dirname(installed), { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', root])
  renameSync(join(root, 'package'), installed)
  for (const name of Object.keys(manifest(installed).dependencies)) link(name, root)

  const write = (file: string, content: string) => writeFileSync(join(root, file), content)
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  return { root, tarball, installed, write, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/**
 * Makes a package of the project one of the app's, too.
 *
 * @param from - folder of the project that has it
 */
export function link(name: string, root: string, from = ''): void {
  const target = join(root, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(join(project, from, 'node_modules', name), target, 'junction')
}

/** The manifest of an installed package. */
export function manifest(folder: string): { dependencies: Record<string, string>; exports: Record<string, unknown> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
