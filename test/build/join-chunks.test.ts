import { describe, expect, it } from 'vitest'
import { joinChunks } from '../../build/join-chunks.ts'
import { type LoadGraph, presentAt } from '../../build/load-graph.ts'

interface Chunk {
  readonly bytes: number
  readonly imports?: readonly string[]
  readonly later?: readonly string[]
}

function graphOf(chunks: Readonly<Record<string, Chunk>>, entries: readonly string[]): LoadGraph {
  const all = Object.entries(chunks)
  return {
    bytes: new Map(all.map(([name, { bytes }]) => [name, bytes])),
    imports: new Map(all.map(([name, { imports = [] }]) => [name, new Set(imports)])),
    later: new Map(all.map(([name, { later = [] }]) => [name, new Set(later)])),
    entries: new Set(entries),
  }
}

/** What became part of what. */
const joins = (graph: LoadGraph, limits: { vain: number; strict?: readonly string[] }): Record<string, string> =>
  Object.fromEntries(
    [...joinChunks(graph, { small: 2000, strict: [], ...limits })].filter(([chunk, home]) => chunk !== home),
  )

describe('what a page has', () => {
  it('is, with a part that is loaded later, also what everything has that loads the part', () => {
    const graph = graphOf(
      {
        app: { bytes: 1, imports: ['shared'], later: ['part'] },
        other: { bytes: 1, imports: ['shared'], later: ['part'] },
        shared: { bytes: 1 },
        part: { bytes: 1, imports: ['own'], later: ['deeper'] },
        own: { bytes: 1 },
        deeper: { bytes: 1, later: ['part'] },
      },
      ['app', 'other'],
    )
    expect([...presentAt(graph).get('part')!].sort()).toEqual(['own', 'part', 'shared'])
    expect([...presentAt(graph).get('deeper')!].sort()).toEqual(['deeper', 'own', 'part', 'shared'])
  })
})

describe('a small chunk', () => {
  const apart = {
    one: { bytes: 9000, imports: ['small', 'large'] },
    two: { bytes: 9000, imports: ['large'] },
    small: { bytes: 100 },
    large: { bytes: 5000 },
  }

  it('joins the one that the same pages load', () => {
    const graph = graphOf({ ...apart, two: { bytes: 9000, imports: ['small', 'large'] } }, ['one', 'two'])
    expect(joins(graph, { vain: 0 })).toEqual({ small: 'large' })
  })

  it('joins one that other pages load too, as far as they may load it in vain', () => {
    const graph = graphOf(apart, ['one', 'two'])
    expect(joins(graph, { vain: 0.01 })).toEqual({ small: 'large' })
    expect(joins(graph, { vain: 0.005 })).toEqual({})
    expect(joins(graph, { vain: 0.01, strict: ['two'] })).toEqual({})
  })

  it('counts what the other one imports as loaded in vain', () => {
    const chunks = { ...apart, one: { bytes: 9000, imports: ['small'] }, large: { bytes: 100, imports: ['heavy'] } }
    const graph = graphOf({ ...chunks, heavy: { bytes: 3000 } }, ['one', 'two'])
    expect(joins(graph, { vain: 0.02 })).not.toMatchObject({ small: 'large' })
  })

  it('counts together what several joins make a page load in vain', () => {
    const graph = graphOf(
      {
        one: { bytes: 9000, imports: ['first', 'large'] },
        two: { bytes: 9000, imports: ['second', 'large'] },
        three: { bytes: 9000, imports: ['large'] },
        first: { bytes: 80 },
        second: { bytes: 90 },
        large: { bytes: 5000 },
      },
      ['one', 'two', 'three'],
    )
    // The third may load 140 bytes in vain.
    expect(joins(graph, { vain: 0.01 })).toEqual({ first: 'large' })
  })

  it('joins none with which it would import a third that imports it', () => {
    const chunks = {
      app: { bytes: 9000, imports: ['top'] },
      top: { bytes: 100, imports: ['middle'] },
      middle: { bytes: 5000, imports: ['base'] },
      base: { bytes: 100 },
    }
    expect(joins(graphOf(chunks, ['app', 'middle']), { vain: 0.05 })).toEqual({})
    const apart = { ...chunks, top: { bytes: 100 }, app: { bytes: 9000, imports: ['top', 'middle'] } }
    expect(joins(graphOf(apart, ['app', 'middle']), { vain: 0.05 })).toEqual({ top: 'base' })
  })

  it('is not joined under a limit for what is not there', () => {
    expect(() => joins(graphOf(apart, ['one', 'two']), { vain: 0, strict: ['renamed'] })).toThrow('renamed')
  })

  it('is loaded later as before, when it begins what is loaded later', () => {
    const chunks = {
      app: { bytes: 9000, imports: ['shared'], later: ['part'] },
      shared: { bytes: 5000 },
      part: { bytes: 10 },
    }
    expect(joins(graphOf(chunks, ['app']), { vain: 1 })).toEqual({})
  })
})
