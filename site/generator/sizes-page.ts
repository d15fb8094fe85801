import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { importsOf } from '../../test/support/imports.ts'
import { packageFolder, projectFolder } from './site-folders.ts'
import type { SitePage } from './site-page.ts'

/** What each package export costs a page, and each worker, as it was built. */
export function sizesPage(): SitePage {
  const { name, version, exports } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    exports: Record<string, { default?: string }>
  }
  const client = loadedWith('index.js')
  const entries = Object.entries(exports).flatMap(([path, entry]) => {
    const file = entry.default?.replace('./dist/', '')
    if (file === undefined || path.endsWith('worker')) return []
    const { code, packages } = loadedWith(file)
    const beside = gzipped([client.code, code].join('\n')) - gzipped(client.code)
    const more = file === 'index.js' ? '' : kilobytes(Math.max(0, beside))
    const needed = packages.map((one) => `\`${one}\``).join(', ')
    return [`| \`${path.replace('.', name)}\` | ${kilobytes(gzipped(code))} | ${more} | ${needed} |`]
  })
  const workers = readdirSync(packageFolder)
    .filter((file) => /\.worker-[\w-]+\.js$/.test(file))
    .sort()
    .map((file) => `| ${file.replace(/\.worker-.*/, '')} | ${kilobytes(gzipped(read(file)))} |`)
  const markdown = `# Sizes

Measured of release ${version} when this site was built, in kilobytes (1,000 bytes) after gzip. A page loads a package
export when it is imported; what is loaded later, when it is used, is not counted here.

## Package exports

The second number is what an export adds to a page that has \`${name}\` already.

| import | alone | in addition | packages it imports |
| --- | ---: | ---: | --- |
${entries.join('\n')}

## Workers

Each is one file, and is loaded when it is first needed.

| worker | size |
| --- | ---: |
${workers.join('\n')}
`
  return { address: 'reference/sizes', source: 'site/reference/sizes.md', markdown }
}

const read = (file: string): string => readFileSync(join(packageFolder, file), 'utf8')
const gzipped = (code: string): number => gzipSync(code).length
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

/** What a page loads with an entry at once, chunk by chunk, and the packages it leaves to the app. */
function loadedWith(entry: string): { readonly code: string; readonly packages: readonly string[] } {
  const chunks = new Map<string, string>()
  const packages = new Set<string>()
  const load = (file: string): void => {
    if (chunks.has(file)) return
    const code = read(file)
    chunks.set(file, code)
    for (const { from, kind } of importsOf(code)) {
      if (kind !== 'static') continue
      if (from.startsWith('./')) load(from.slice(2))
      else packages.add(from)
    }
  }
  load(entry)
  return { code: [...chunks.values()].join('\n'), packages: [...packages] }
}
