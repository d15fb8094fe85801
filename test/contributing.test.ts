import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Document, deadLinks, project, readDocument, scriptsNamedIn } from './support/documents.ts'

const document = readDocument('CONTRIBUTING.md')
const manifest = JSON.parse(readDocument('package.json').text) as { readonly scripts: Readonly<Record<string, string>> }

const TOP = ['README.md', 'package.json', 'vite.config.ts']

/** Paths that a text names, as code or in a command. */
function pathsIn(text: string): readonly string[] {
  const folders = /(?<![\w/.-])(?:src|test|bench|docs|server|demo|worker|build)\/[\w./-]*\w/g
  const files = TOP.filter((name) => text.includes(`\`${name}\``))
  return [...new Set([...(text.match(folders) ?? []), ...files])]
}

/** The lists of files, by the kind of change. */
const changes = document.text
  .split(/^### /m)
  .slice(1)
  .map((text) => {
    const [title, ...rest] = text.split(/^## /m)[0]!.split('\n')
    return [title!, pathsIn(rest.join('\n'))] as const
  })

/** Kinds of changes that people ask about most; each needs a list. */
const KINDS = [
  'A method of the store',
  'A durability level',
  'An export format',
  'The default token counter',
  'A field in the session list',
  'The interval at which a reply is saved, or an option of a stream',
  'A sync transport',
  'A storage backend',
  'An error',
  'The pairing of tool calls',
  'A health field',
  'A dialect',
]

const read = (path: string): Document | undefined => (existsSync(join(project, path)) ? readDocument(path) : undefined)

describe('CONTRIBUTING.md', () => {
  it('has a list of files for each kind of change', () => {
    expect(changes.map(([title]) => title)).toEqual(expect.arrayContaining(KINDS))
  })

  it.each(changes)('names files that exist: %s', (_, paths) => {
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter((path) => !existsSync(join(project, path)))).toEqual([])
  })

  it('names only paths, scripts and links that exist', () => {
    const missing = pathsIn(document.text).filter((path) => !existsSync(join(project, path)))
    expect(missing).toEqual([])
    expect(scriptsNamedIn(document).filter((name) => !(name in manifest.scripts))).toEqual([])
    expect(deadLinks(document, read)).toEqual([])
  })
})

it('finds a path that does not exist', () => {
  const [path] = pathsIn('- `src/contract/no-such-file.ts`: its name')
  expect(path).toBe('src/contract/no-such-file.ts')
  expect(existsSync(join(project, dirname(path!)))).toBe(true)
  expect(existsSync(join(project, path!))).toBe(false)
})
