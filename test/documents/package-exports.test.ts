import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import config from '../../vite.config.ts'
import { project, readDocument } from '../support/documents.ts'

const manifest = JSON.parse(readDocument('package.json').text) as {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>
}

/** The files of `src` that are package exports: `sync-relay` is `keepsession/sync/relay`. */
const files = readdirSync(join(project, 'src'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'))
  .sort()

describe('each file in src is a package export', () => {
  it('that package.json names', () => {
    const named = Object.values(manifest.exports)
      .map((target) => basename(target.default ?? '', '.js'))
      .filter((file) => !/worker$|^$|\.json$/.test(file))
    expect(named.sort()).toEqual(files)
  })

  it('that the build has as an entry', () => {
    const { entry } = config.build!.lib as { readonly entry: Readonly<Record<string, string>> }
    expect(entry).toEqual(Object.fromEntries(files.map((file) => [file, `src/${file}.ts`])))
  })

  it('that README lists', () => {
    const { text } = readDocument('README.md')
    const listed = new Set([...text.matchAll(/`(keepsession(?:\/[a-z./-]+)?)`/g)].map(([, name]) => name))
    for (const subpath of Object.keys(manifest.exports)) {
      if (subpath !== './package.json') expect(listed).toContain(join('keepsession', subpath))
    }
  })
})
