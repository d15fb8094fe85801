import { describe, expect, it } from 'vitest'
import type { Tree } from './support/architecture.ts'
import { sourceTree } from './support/source-tree.ts'
import { unboundedArguments } from './support/unbounded-arguments.ts'

const planted = (source: string): Tree => new Map([['src/a.ts', source]])

describe('the sources', () => {
  it('spread no list without a bound into a call, as a stack takes no more than some 65,000 arguments', () =>
    expect(unboundedArguments(sourceTree())).toEqual([]))
})

describe('a list without a bound is found', () => {
  it.each([
    'all.push(...rows)',
    'all.push(first, ...(await rows()).filter(isShown))',
    'Math.max(...list)',
    'String.fromCharCode(...bytes)',
    'new Uint8Array(...list)',
    'list.splice(at, 1, ...put)',
    'all.push(...(isWhole ? rows : []))',
    'list.push.apply(list, rows)',
    'const f = (...args: number[]) => 1; Math.max(...args)',
    '// bounded:\nall.push(...rows)',
  ])('%s', (source) => expect(unboundedArguments(planted(source))).toEqual([`src/a.ts:${source.split('\n').length}`]))
})

describe('what has a bound is none', () => {
  it.each([
    'for (const row of rows) all.push(row)',
    'all = [...all, ...rows]',
    'all.push(...(isWhole ? [row] : []))',
    'const call = (...args: unknown[]) => run(...args)',
    'Math.max(...sizes) // bounded: one for each of five stores',
    '// bounded: at most 64 entries lie in a record\nall.push(...record)',
  ])('%s', (source) => expect(unboundedArguments(planted(source))).toEqual([]))
})
