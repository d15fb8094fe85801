import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot, readManifest } from './package-manifest.ts'
import { publicTypes } from './public-types.ts'

/** How the public types changed since the last tag, and which number that asks for at least. */
export async function semverReport(): Promise<string> {
  const { name, version } = readManifest()
  const tag = lastTag(version)
  if (tag === undefined)
    return 'There is no earlier tag, so there is nothing that the public types could have changed from.'
  const folder = mkdtempSync(join(tmpdir(), 'keepsession-last-'))
  try {
    const published = `${name}@${tag.slice(1)}`
    const options = { encoding: 'utf8' as const }
    const packed = spawnSync('npm', ['pack', published, '--pack-destination', folder], options)
    if (packed.status !== 0)
      return `The types were not compared: npm could not get ${published}. ${whyNot(packed.stderr)}`.trim()
    execFileSync('tar', ['-xzf', join(folder, readdirSync(folder)[0]!), '-C', folder])
    return `Since ${tag}:\n${typeChanges(publicTypes(join(folder, 'package')), publicTypes(packageRoot))}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The tag of the release before this one.
 *
 * @param version - of this release, whose own tag may be there already: a release is checked when its tag is pushed
 */
export function lastTag(version: string, repository = packageRoot): string | undefined {
  const before = (commit: string): string | undefined => {
    const options = { cwd: repository, encoding: 'utf8' as const }
    const { stdout, status } = spawnSync('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*', commit], options)
    return status === 0 ? stdout.trim() : undefined
  }
  const tag = before('HEAD')
  // Behind its commit, the tag of this release is the last one after all.
  return tag === `v${version}` ? before('HEAD^') : tag
}

/** The line in which npm says what is wrong; it says more about its log. */
const whyNot = (stderr: string): string =>
  (stderr.split('\n').find((line) => /^npm error (?!code)/.test(line)) ?? '').replace('npm error ', '')

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
