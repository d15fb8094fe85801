import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  blocksOf,
  type Document,
  deadLinks,
  manuals,
  project,
  readDocument,
  scriptsNamedIn,
} from '../support/documents.ts'

const documents = [...manuals(), ...['ARCHITECTURE.md', 'CHANGELOG.md'].map(readDocument)]
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const planted = (text: string): Document => ({ path: 'docs/planted.md', text })

/** A file of the project, or a folder, which has no headings. */
function read(path: string): Document | undefined {
  if (!existsSync(join(project, path))) return undefined
  return statSync(join(project, path)).isDirectory() ? { path, text: '' } : readDocument(path)
}

describe.each(documents.map((document) => [document.path, document] as const))('%s', (_, document) => {
  it('links to what is there', () => expect(deadLinks(document, read)).toEqual([]))
  it('names scripts that there are', () =>
    expect(scriptsNamedIn(document).filter((name) => !(name in scripts))).toEqual([]))

  // What is in another language would be read by nobody but people.
  it('has blocks in languages that are tested, of configuration of other programs, and diagrams', () => {
    const known = ['ts', 'tsx', 'js', 'sh', 'json', 'ini', 'nginx', 'mermaid', '']
    expect(blocksOf(document).filter(({ language }) => !known.includes(language))).toEqual([])
  })

  it('has JSON that can be read', () => {
    for (const { language, code } of blocksOf(document))
      if (language === 'json') expect(() => JSON.parse(code)).not.toThrow()
  })
})

describe('what leads nowhere is found', () => {
  it.each([
    ['a file that is not there', '[x](nowhere.md)', ['nowhere.md']],
    ['a heading that is not there', '# One\n[x](#two)', ['#two']],
    ['a heading that another file lacks', '[x](../README.md#no-such-heading)', ['../README.md#no-such-heading']],
    ['a link whose text is code', '[`x`](nowhere.md) and `y`', ['nowhere.md']],
  ])('%s', (_, text, dead) => expect(deadLinks(planted(text), read)).toEqual(dead))

  it.each([
    ['a file', '[x](sync.md)'],
    ['a folder', '[x](../demo)'],
    ['a heading with a colon', '# One: two, and `three`\n[x](#one-two-and-three)'],
    ['an address', '[x](https://example.com/y)'],
    ['what stands in code', '`[x](nowhere.md)`\n```ts\na[0](nowhere)\n```'],
  ])('and %s is not', (_, text) => expect(deadLinks(planted(text), read)).toEqual([]))

  it('a script', () =>
    expect(scriptsNamedIn(planted('`npm run nothing`, `npm start`, `test:none`'))).toEqual([
      'nothing',
      'start',
      'test:none',
    ]))
})

it('finds a block, its place and what it needs', () => {
  const text = 'a\n\n<!-- needs: store, session -->\n```ts\none\n```\n\n<!-- needs: store -->\nb\n```sh\ntwo\n```\n'
  expect(blocksOf(planted(text))).toEqual([
    { place: 'docs/planted.md:4', language: 'ts', code: 'one', needs: ['store', 'session'] },
    { place: 'docs/planted.md:10', language: 'sh', code: 'two', needs: [] },
  ])
})

it('refuses a block that nothing closes', () => expect(() => blocksOf(planted('```ts\n'))).toThrow('docs/planted.md:1'))
