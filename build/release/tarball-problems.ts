import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageLimits } from './package-limits.ts'
import { packageRoot } from './package-manifest.ts'

/** A tarball as it would be published: the size, and the files with their text. */
export interface Tarball {
  readonly bytes: number
  readonly files: ReadonlyMap<string, string>
}

/** Packs `dist` as it is. */
export function packTarball(): Tarball {
  const folder = mkdtempSync(join(tmpdir(), 'keepsession-release-'))
  try {
    const options = { cwd: packageRoot, encoding: 'utf8' as const, stdio: 'pipe' as const }
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], options)
    const [name] = readdirSync(folder)
    if (name === undefined) throw new Error('npm packed nothing.')
    const bytes = readFileSync(join(folder, name)).length
    execFileSync('tar', ['-xzf', join(folder, name), '-C', folder])
    const unpacked = join(folder, 'package')
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    return { bytes, files: new Map(files.map((file) => [file.slice(unpacked.length + 1), readFileSync(file, 'utf8')])) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const workers = ['session', 'job', 'search', 'sync']
const needed = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'THIRD-PARTY-NOTICES']

/** What a published package must not have, or lacks. */
export function tarballProblems({ bytes, files }: Tarball): string[] {
  const names = [...files.keys()]
  const problems = needed.filter((name) => !files.has(name)).map((name) => `${name} is missing.`)
  if (names.length > packageLimits.files)
    problems.push(`It has ${names.length} files, more than ${packageLimits.files}.`)
  if (bytes > packageLimits.bytes) problems.push(`It has ${bytes} bytes, more than ${packageLimits.bytes}.`)
  for (const worker of workers) {
    const scripts = names.filter((name) => new RegExp(`/${worker}\\.worker-[\\w-]+\\.js$`).test(name))
    if (scripts.length !== 1) problems.push(`It has ${scripts.length} files of the ${worker} worker, not 1.`)
  }
  for (const [name, text] of files) {
    if (/(^|\/)(test|tests|__tests__|fixtures)\/|\.test\./.test(name)) problems.push(`${name} is code of a test.`)
    const map = name.endsWith('.js') ? /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)?.[1] : undefined
    if (map !== undefined) problems.push(...mapProblems(name, map, files))
  }
  return problems
}

/** A source map has to be there, with sources that are there. */
function mapProblems(name: string, map: string, files: ReadonlyMap<string, string>): string[] {
  const beside = (path: string): string => join(name, '..', path)
  const text = files.get(beside(map))
  if (text === undefined) return [`${name} names the source map ${map}, which is not in the package.`]
  const { sources, sourcesContent } = JSON.parse(text) as { sources: string[]; sourcesContent?: (string | null)[] }
  return sources
    .filter((source, i) => !sourcesContent?.[i] && !files.has(beside(source)))
    .map((source) => `${map} leads to ${source}, which is not in the package.`)
}
