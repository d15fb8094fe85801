import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changelogProblems, pushedTag, releaseNotes } from './changelog-problems.ts'
import { dryRunProblems, makeSbom } from './npm-commands.ts'
import { packageRoot, readManifest } from './package-manifest.ts'
import { semverReport } from './semver-report.ts'
import { packTarball, tarballProblems } from './tarball-problems.ts'
import { noticesFile, noticesProblems, thirdPartyNotices } from './third-party-notices.ts'

/**
 * Says of each thing that a publication needs whether it is right. With `--write`, writes the notices of third parties
 * instead of comparing them; with `--notes <file>`, writes what the changelog says of this release to a file instead.
 *
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const { version } = readManifest()
  if (args[0] === '--notes') {
    if (args[1] === undefined) throw new Error('Say to which file the notes go: --notes <file>.')
    writeFileSync(args[1], releaseNotes(version))
    return 0
  }
  const notices = thirdPartyNotices()
  if (args.includes('--write')) {
    writeFileSync(join(packageRoot, noticesFile), notices)
    console.log(`${noticesFile} was written.`)
    return 0
  }
  const sbom = makeSbom()
  const checks: readonly (readonly [what: string, problems: readonly string[]])[] = [
    [`The changelog and the tag have ${version}`, changelogProblems(version, undefined, pushedTag())],
    ['The tarball has what it should', tarballProblems(packTarball())],
    [`${noticesFile} is that of node_modules`, noticesProblems(notices)],
    ['The SBOM names the dependencies', sbom.problems],
    ['npm would publish it', dryRunProblems()],
  ]
  for (const [what, problems] of checks) {
    console.log(`${problems.length === 0 ? '✓' : '✗'} ${what}`)
    for (const problem of problems) console.log(`  ${problem}`)
  }
  console.log(`\n${await semverReport()}`)
  console.log(`The SBOM is in ${sbom.file}.`)
  return checks.every(([, problems]) => problems.length === 0) ? 0 : 1
}
