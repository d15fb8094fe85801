import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot, readManifest } from './package-manifest.ts'
import { publicTypes } from './public-types.ts'

/** How the public types changed since the last tag, and which number that asks for at least. */
export async function semverReport(): Promise<string> {
  const { stdout, status } = spawnSync('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], {
    cwd: packageRoot,
    encoding: 'utf8',
  })
  if (status !== 0) return 'There is no tag yet, so there is nothing that the public types could have changed from.'
  const tag = stdout.trim()
  const { name } = readManifest()
  const folder = mkdtempSync(join(tmpdir(), 'keepsession-last-'))
  try {
    execFileSync('npm', ['pack', `${name}@${tag.slice(1)}`, '--pack-destination', folder], { stdio: 'pipe' })
    execFileSync('tar', ['-xzf', join(folder, readdirSync(folder)[0]!), '-C', folder])
    return `Since ${tag}:\n${typeChanges(publicTypes(join(folder, 'package')), publicTypes(packageRoot))}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What differs. A declaration that changed may be compatible: a person has to look. */
export function typeChanges(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const added = [...after.keys()].filter((name) => !before.has(name))
  const changed = [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name))
  const kind =
    removed.length > 0
      ? 'major'
      : changed.length > 0
        ? 'minor, or major if one is not compatible'
        : added.length > 0
          ? 'minor'
          : 'patch'
  const list = (title: string, names: readonly string[]): string[] => names.map((name) => `  ${title} ${name}`)
  return [...list('removed', removed), ...list('changed', changed), ...list('added', added), `At least: ${kind}.`].join(
    '\n',
  )
}
