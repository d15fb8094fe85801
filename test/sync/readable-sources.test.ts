import { describe, expect, it } from 'vitest'
import type { Tree } from '../support/architecture.ts'
import { lateVariables, longFiles, longFunctions } from '../support/readable-sources.ts'
import { sourceTree } from '../support/source-tree.ts'

/** State machines and what acts for them. */
const folders = /^src\/(sync|sync-client|client\/recovery)\//
const tree: Tree = new Map([...sourceTree()].filter(([path]) => folders.test(path)))
const planted = (source: string): Tree => new Map([['src/a.ts', source]])

describe('the sources of sync and recovery', () => {
  it('are all looked at', () => expect(tree.size).toBeGreaterThan(200))
  it('have no file over 200 lines', () => expect(longFiles(tree, 200)).toEqual([]))
  it('have no function over 60 lines', () => expect(longFunctions(tree, 60)).toEqual([]))
  it('use no variable of a function above its declaration', () => expect(lateVariables(tree)).toEqual([]))
})

describe('what is too long is found', () => {
  const lines = (count: number): string => 'a()\n'.repeat(count)

  it('in a file', () => {
    expect(longFiles(planted(lines(3)), 3)).toEqual([])
    expect(longFiles(planted(lines(4)), 3)).toEqual(['src/a.ts: 4'])
  })
  it.each([
    ['declared', (body: string) => `function f() {\n${body}}`],
    ['assigned', (body: string) => `const f = () => {\n${body}}`],
    ['of an object', (body: string) => `const o = { f() {\n${body}} }`],
    ['around others', (body: string) => `function f() {\nconst g = () => {\n${body}}}`],
  ])('in a function that is %s', (_, write) => {
    const [count] = longFunctions(planted(write(lines(9))), 0).map((one) => Number(one.split(': ')[1]))
    expect(longFunctions(planted(write(lines(9))), count!)).toEqual([])
    expect(longFunctions(planted(write(lines(10))), count!)).toEqual([`src/a.ts:1: ${count! + 1}`])
  })
})

describe('a variable that is used above its declaration is found', () => {
  it.each([
    'const f = () => g.close(); const g = open()',
    'const f = { end: () => g() }; const g = () => 1',
    'const f = () => ({ g }); const { g } = open()',
    'const f = () => g as string; let g = 1',
    'const f = () => { if (a) return () => g!.x }; const [g] = b',
  ])('%s', (source) => expect(lateVariables(planted(`function a() { ${source} }`))).toEqual(['src/a.ts:1: g']))
})

describe('what is no such use', () => {
  it.each([
    'const g = open(); const f = () => g.close()',
    'const g = open({ onEnd: () => g.close() })',
    'const f = (g) => g.close(); const g = open()',
    'const f = () => { const g = 1; return g }; const g = open()',
    'const f = () => a.g; const g = open()',
    'const f = () => ({ g: 1 }); const g = open()',
    'const f = (): typeof g => 1; const g = open()',
    'const f = () => g(); function g() {}',
  ])('%s', (source) => expect(lateVariables(planted(`function a() { ${source} }`))).toEqual([]))
})
