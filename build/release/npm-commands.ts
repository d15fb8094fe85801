import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { packageRoot, readManifest } from './package-manifest.ts'
import { inlinedPackages } from './third-party-notices.ts'

/**
 * Writes what an app that installs the package gets with it, in CycloneDX, for whoever has to list it: what npm installs
 * with it, and what is built into it.
 */
export function makeSbom(): { readonly file: string; readonly problems: readonly string[] } {
  const file = 'dist/sbom/keepsession.cdx.json'
  const text = sbomOf(inlinedPackages().map(({ folder }) => relative(packageRoot, folder).replaceAll('\\', '/')))
  // Beside what is published, not in it.
  mkdirSync(join(packageRoot, 'dist/sbom'), { recursive: true })
  writeFileSync(join(packageRoot, file), text)
  const { components } = JSON.parse(text) as { components: readonly { name: string; group?: string }[] }
  const named = new Set(components.map(({ name, group }) => (group ? `${group}/${name}` : name)))
  const problems = [...inlinedPackages().map(({ name }) => name), ...Object.keys(readManifest().dependencies ?? {})]
    .filter((name) => !named.has(name))
    .map((name) => `It lacks ${name}.`)
  return { file, problems: [...new Set(problems)] }
}

/** Has npm list some of the packages of our lock, as if we depended on nothing else. */
function sbomOf(places: readonly string[]): string {
  const { name, version, license = '' } = readManifest()
  const lock = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean; peer?: boolean }>
  }
  const packages = places.map((place) => {
    const { dev: _, devOptional: __, peer: ___, ...rest } = lock.packages[place]!
    return [place, rest] as const
  })
  const dependencies = Object.fromEntries(
    packages.map(([place, { version }]) => [place.slice(place.lastIndexOf('node_modules/') + 13), version]),
  )
  const root = { name, version, license, dependencies }
  const folder = mkdtempSync(join(tmpdir(), 'keepsession-sbom-'))
  try {
    const write = (file: string, value: object): void => writeFileSync(join(folder, file), JSON.stringify(value))
    write('package.json', root)
    write('package-lock.json', {
      name,
      version,
      lockfileVersion: 3,
      packages: Object.fromEntries([['', root], ...packages]),
    })
    return execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What npm says against publishing. Provenance needs the CI that publishes, and is given there. */
export function dryRunProblems(): string[] {
  const { status, stderr } = spawnSync('npm', ['publish', '--dry-run', '--ignore-scripts', '--offline'], {
    cwd: packageRoot,
    encoding: 'utf8',
  })
  // npm mends what is wrong with a manifest by itself, and only says so.
  const corrected = stderr.split('\n').filter((line) => /auto-corrected|was removed|npm error/i.test(line))
  return status === 0 && corrected.length === 0 ? [] : [`npm ended with ${status}.`, ...corrected]
}
