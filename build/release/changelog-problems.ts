import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './package-manifest.ts'

/** What is wrong with the changelog: the newest release in it has to be this one. */
export function changelogProblems(
  version: string,
  text = readFileSync(join(packageRoot, 'CHANGELOG.md'), 'utf8'),
): string[] {
  const newest = /^## (\S+)(?: \((.+)\))?$/m.exec(text)
  if (newest === null) return ['CHANGELOG.md has no release.']
  if (newest[1] !== version) return [`CHANGELOG.md begins with ${newest[1]}, package.json has ${version}.`]
  const isDated = newest[2] === 'unreleased' || /^\d{4}-\d\d-\d\d$/.test(newest[2] ?? '')
  return isDated
    ? []
    : [`"## ${version}" in CHANGELOG.md needs "(unreleased)" or a date behind it, as in (2026-12-31).`]
}
