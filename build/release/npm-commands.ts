import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot, readManifest } from './package-manifest.ts'

/** Writes what an app that installs the package gets with it, in CycloneDX, for whoever has to list it. */
export function makeSbom(): { readonly file: string; readonly problems: readonly string[] } {
  const file = 'dist/sbom/keepsession.cdx.json'
  const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
    cwd: packageRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // Beside what is published, not in it: the package has `dist` without folders.
  mkdirSync(join(packageRoot, 'dist/sbom'), { recursive: true })
  writeFileSync(join(packageRoot, file), text)
  const { components } = JSON.parse(text) as { components: readonly { name: string; version: string }[] }
  const named = new Set(components.map(({ name }) => name))
  const problems = Object.keys(readManifest().dependencies ?? {})
    .filter((name) => !named.has(name))
    .map((name) => `It lacks ${name}.`)
  return { file, problems }
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
