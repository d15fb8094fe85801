import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './package-manifest.ts'

const readChangelog = (): string => readFileSync(join(packageRoot, 'CHANGELOG.md'), 'utf8')

/**
 * What is wrong with the changelog: the newest release in it has to be this one.
 *
 * @param tag - that is being released, if one is: it has to be of this version, which needs a date then
 */
export function changelogProblems(version: string, text = readChangelog(), tag?: string): string[] {
  const problems =
    tag === undefined || tag === `v${version}` ? [] : [`The tag is ${tag}, but package.json has ${version}.`]
  const newest = /^## (\S+)(?: \((.+)\))?$/m.exec(text)
  if (newest === null) return [...problems, 'CHANGELOG.md has no release.']
  if (newest[1] !== version) return [...problems, `CHANGELOG.md begins with ${newest[1]}, package.json has ${version}.`]
  const isDated = /^\d{4}-\d\d-\d\d$/.test(newest[2] ?? '')
  if (tag !== undefined && !isDated)
    problems.push(`"## ${version}" in CHANGELOG.md needs the date of the release behind it, as in (2026-12-31).`)
  else if (!isDated && newest[2] !== 'unreleased')
    problems.push(`"## ${version}" in CHANGELOG.md needs "(unreleased)" or a date behind it, as in (2026-12-31).`)
  return problems
}

/**
 * What the changelog says of one release, without the heading.
 *
 * @throws when it says nothing
 */
export function releaseNotes(version: string, text = readChangelog()): string {
  const part = text.split(/^## /m).find((one) => one.split(/\s/, 1)[0] === version)
  const notes = part?.slice(part.indexOf('\n')).trim()
  if (!notes) throw new Error(`CHANGELOG.md says nothing of ${version}.`)
  return `${notes}\n`
}

/** The tag whose push started this run of a workflow. */
export const pushedTag = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] : undefined
