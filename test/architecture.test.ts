import { describe, expect, it } from 'vitest'
import {
  brokenImports,
  cycles,
  entriesWithCode,
  FOLDERS,
  forbiddenImports,
  heavyPage,
  importedEntries,
  impureDomain,
  lazyInServiceWorkers,
  strayFiles,
  type Tree,
} from './support/architecture.ts'
import { sourceTree } from './support/source-tree.ts'

const tree = sourceTree()
const planted = (sources: Record<string, string>): Tree => new Map(Object.entries(sources))

describe('the sources', () => {
  it('lie in the folders of the table', () => expect(strayFiles(tree)).toEqual([]))
  it('import what the table allows', () => expect(forbiddenImports(tree)).toEqual([]))
  it('import files that exist, by their full name', () => expect(brokenImports(tree)).toEqual([]))
  it('import no entry from the inside', () => expect(importedEntries(tree)).toEqual([]))
  it('keep their entries to explicit re-exports', () => expect(entriesWithCode(tree)).toEqual([]))
  it('leave Dexie and zod out of the page', () => expect(heavyPage(tree)).toEqual([]))
  it('load nothing on demand where a Service Worker runs them', () => expect(lazyInServiceWorkers(tree)).toEqual([]))
  it('import each other in no circle', () => expect(cycles(tree)).toEqual([]))
  it('keep clock and randomness out of the domain', () => expect(impureDomain(tree)).toEqual([]))
})

describe('the table', () => {
  it.each([
    ['zod', 'src/contract'],
    ['dexie', 'src/storage'],
    ['@noble', 'src/domain'],
    ['yjs', 'src/sync'],
  ])('gives %s one home, %s', (name, home) => {
    const homes = Object.entries(FOLDERS).filter(
      ([folder, rule]) => folder !== 'server' && rule.packages.some((one) => one.split('/')[0] === name),
    )
    expect(homes.map(([folder]) => folder)).toEqual([home])
  })
})

describe('a breach is found', () => {
  it.each<[string, (tree: Tree) => string[], Record<string, string>, string[]]>([
    ['a new folder', strayFiles, { 'src/utils/a.ts': '' }, ['src/utils/a.ts']],
    [
      'an import upwards',
      forbiddenImports,
      { 'src/domain/a.ts': `import { b } from '../storage/b.ts'` },
      ['src/domain/a.ts → src/storage/b.ts'],
    ],
    [
      'a type-only import upwards',
      forbiddenImports,
      { 'src/contract/a.ts': `import type { B } from '../domain/b.ts'` },
      ['src/contract/a.ts → src/domain/b.ts (type)'],
    ],
    [
      'a type named in place',
      forbiddenImports,
      { 'src/contract/a.ts': `export type B = import('../domain/b.ts').B` },
      ['src/contract/a.ts → src/domain/b.ts (type)'],
    ],
    [
      'a re-export upwards',
      forbiddenImports,
      { 'src/domain/a.ts': `export { b } from '../client/b.ts'` },
      ['src/domain/a.ts → src/client/b.ts'],
    ],
    [
      'a package away from home',
      forbiddenImports,
      { 'src/client/a.ts': `import Dexie from 'dexie'` },
      ['src/client/a.ts → dexie'],
    ],
    [
      'a lazy package away from home',
      forbiddenImports,
      { 'src/storage/a.ts': `const y = import('yjs')` },
      ['src/storage/a.ts → yjs (lazy)'],
    ],
    [
      'an import nobody can follow',
      forbiddenImports,
      { 'src/client/a.ts': `const load = (name: string) => import(name)` },
      ['src/client/a.ts → (computed) (lazy)'],
    ],
    [
      'the whole of zod',
      forbiddenImports,
      { 'src/contract/a.ts': `import { z } from 'zod'` },
      ['src/contract/a.ts → zod'],
    ],
    ['a Node module', forbiddenImports, { 'src/storage/a.ts': `import 'node:fs'` }, ['src/storage/a.ts → node:fs']],
    [
      'storage in the page',
      forbiddenImports,
      { 'src/client/a.ts': `import { b } from '../storage/b.ts'` },
      ['src/client/a.ts → src/storage/b.ts'],
    ],
    [
      'the source of a worker loaded unasked',
      forbiddenImports,
      { 'src/client/a.ts': `import s from 'virtual:session-worker-url'` },
      ['src/client/a.ts → virtual:session-worker-url'],
    ],
    [
      'a schema in the page',
      forbiddenImports,
      { 'src/client/a.ts': `import { Message } from '../contract/message.ts'` },
      ['src/client/a.ts → src/contract/message.ts'],
    ],
    [
      'a schema that is loaded for its type',
      forbiddenImports,
      { 'src/domain/a.ts': `import { type Message } from '../contract/message.ts'` },
      ['src/domain/a.ts → src/contract/message.ts'],
    ],
    [
      'a host library at run time',
      forbiddenImports,
      { 'src/adapters/x/a.ts': `import { b } from 'ai'; import type { C } from 'ai'` },
      ['src/adapters/x/a.ts → ai'],
    ],
    [
      'a missing extension',
      brokenImports,
      { 'src/domain/a.ts': `import { b } from './b'`, 'src/domain/b.ts': '' },
      ['src/domain/a.ts → src/domain/b'],
    ],
    [
      'an entry used inside',
      importedEntries,
      { 'src/client/a.ts': `import { b } from '../index.ts'` },
      ['src/client/a.ts → src/index.ts'],
    ],
    [
      'the in-page entry loaded at once',
      importedEntries,
      { 'src/client/a.ts': `import { b } from '../direct.ts'` },
      ['src/client/a.ts → src/direct.ts'],
    ],
    [
      'code in an entry',
      entriesWithCode,
      { 'src/index.ts': `export { a } from './client/a.ts'; export const b = 1` },
      ['src/index.ts'],
    ],
    [
      'an entry that exports whatever there is',
      entriesWithCode,
      { 'src/index.ts': `export * from './client/a.ts'` },
      ['src/index.ts'],
    ],
    [
      'a schema that the page entry offers',
      heavyPage,
      { 'src/index.ts': `export { A } from './contract/a.ts'`, 'src/contract/a.ts': `import * as z from 'zod/mini'` },
      ['src/index.ts → src/contract/a.ts → zod/mini'],
    ],
    [
      'a lazy import behind the entry of a dialect',
      lazyInServiceWorkers,
      {
        'src/chat.ts': `export { a } from './dialects/chat/a.ts'`,
        'src/dialects/chat/a.ts': `const b = import('../../client/b.ts')`,
        'src/client/b.ts': '',
      },
      ['src/chat.ts → src/dialects/chat/a.ts → src/client/b.ts'],
    ],
    [
      'a circle',
      cycles,
      {
        'src/domain/a.ts': `import './b.ts'`,
        'src/domain/b.ts': `export { c } from './c.ts'`,
        'src/domain/c.ts': `import './a.ts'`,
      },
      ['src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts'],
    ],
    [
      'a circle of types',
      cycles,
      { 'src/domain/a.ts': `import type { B } from './b.ts'`, 'src/domain/b.ts': `import type { A } from './a.ts'` },
      ['src/domain/a.ts → src/domain/b.ts → src/domain/a.ts'],
    ],
    [
      'a circle that is closed by a lazy import',
      cycles,
      { 'src/client/a.ts': `import './b.ts'`, 'src/client/b.ts': `const load = () => import('./a.ts')` },
      ['src/client/a.ts → src/client/b.ts → src/client/a.ts'],
    ],
    [
      'the clock in the domain',
      impureDomain,
      { 'src/domain/a.ts': 'export const a = [Date.now(), new Date(), Date()]' },
      ['src/domain/a.ts: Date.now', 'src/domain/a.ts: new Date()', 'src/domain/a.ts: Date()'],
    ],
    [
      'a timer in the domain',
      impureDomain,
      { 'src/domain/a.ts': 'performance.now()' },
      ['src/domain/a.ts: performance'],
    ],
    [
      'randomness in the domain',
      impureDomain,
      { 'src/domain/a.ts': 'Math.random(); crypto.randomUUID(); globalThis.crypto' },
      ['src/domain/a.ts: Math.random', 'src/domain/a.ts: crypto', 'src/domain/a.ts: globalThis.crypto'],
    ],
    [
      'randomness under another name',
      impureDomain,
      { 'src/domain/a.ts': 'const { random } = Math' },
      ['src/domain/a.ts: Math under another name'],
    ],
  ])('%s', (_, law, sources, breaches) => expect(law(planted(sources)).sort()).toEqual([...breaches].sort()))
})

describe('what is no breach', () => {
  it.each<[string, (tree: Tree) => string[], Record<string, string>]>([
    ['a neighbour', forbiddenImports, { 'src/storage/a.ts': `import { b } from './deep/b.ts'` }],
    [
      'a contract type in the page',
      forbiddenImports,
      { 'src/client/a.ts': `import type { Message } from '../contract/message.ts'` },
    ],
    [
      'the errors in the page',
      forbiddenImports,
      { 'src/client/a.ts': `import { SessionError } from '../contract/errors.ts'` },
    ],
    ['the in-page entry on demand', importedEntries, { 'src/client/a.ts': `const b = import('../direct.ts')` }],
    [
      'the source of a worker on demand',
      forbiddenImports,
      { 'src/client/a.ts': `const s = import('virtual:session-worker-url')` },
    ],
    ['the types of a host library', forbiddenImports, { 'src/adapters/x/a.ts': `import type { C } from 'ai'` }],
    [
      'Dexie on demand',
      heavyPage,
      {
        'src/index.ts': `export { a } from './client/a.ts'`,
        'src/client/a.ts': `import('../direct.ts')`,
        'src/direct.ts': `import 'dexie'`,
      },
    ],
    [
      'a date that is given',
      impureDomain,
      { 'src/domain/a.ts': 'export const a = (at: number) => new Date(at).toISOString()' },
    ],
    ['the clock in storage', impureDomain, { 'src/storage/a.ts': 'Date.now()' }],
  ])('%s', (_, law, sources) => expect(law(planted(sources))).toEqual([]))
})
