import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/**
 * Packs `dist` as it is, and installs the tarball into an empty app. The package's dependencies are links to the project's
 * own copies, so that no network is needed.
 */
export function createConsumer(): Consumer {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'keepsession-consumer-')))
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', root], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const tarball = join(root, (JSON.parse(packed) as [{ filename: string }])[0].filename)
  const installed = join(root, 'node_modules/keepsession')
  mkdirSync(dirname(installed), { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', root])
  renameSync(join(root, 'package'), installed)
  for (const name of Object.keys(manifest(installed).dependencies)) link(name, root)

  const write = (file: string, content: string) => writeFileSync(join(root, file), content)
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  return { root, tarball, installed, write, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** Makes a package of the project one of the app's, too. */
export function link(name: string, root: string): void {
  const target = join(root, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(join(project, 'node_modules', name), target, 'junction')
}

/** The manifest of an installed package. */
export function manifest(folder: string): { dependencies: Record<string, string>; exports: Record<string, unknown> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
