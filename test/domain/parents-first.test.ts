import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TreeLink } from '../../src/domain/parents-first.ts'
import { parentsFirst } from '../../src/domain/parents-first.ts'

/** Any links between few nodes: trees, orphans, circles, nodes named twice. */
const lists = fc.array(
  fc
    .tuple(fc.nat(12), fc.option(fc.nat(14)))
    .map(([id, parent]): TreeLink => ({ id: `n${id}`, parentId: parent === null ? null : `n${parent}` })),
  { maxLength: 20 },
)

const ids = (list: readonly { readonly node: TreeLink }[]): string[] => list.map(({ node }) => node.id)

describe('parentsFirst', () => {
  it('puts every node once, after its parent', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const placed = parentsFirst(list)
        expect(ids(placed).sort()).toEqual([...new Set(list.map(({ id }) => id))].sort())
        placed.forEach(({ node, parent }, i) => {
          if (parent === undefined) return
          expect(parent.id).toBe(node.parentId)
          expect(ids(placed.slice(0, i))).toContain(parent.id)
        })
      }),
    )
  })

  it('cuts a parent that is there only at the first node of a circle', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const byId = new Map(list.map((node) => [node.id, node]))
        for (const { node, parent } of parentsFirst(list)) {
          if (parent !== undefined || node.parentId === null || !byId.has(node.parentId)) continue
          const circle: string[] = [node.id]
          for (let at = node.parentId; at !== node.id; at = byId.get(at)!.parentId!) circle.push(at)
          expect([...byId.keys()].find((id) => circle.includes(id))).toBe(node.id)
        }
      }),
    )
  })

  it('leaves a list as it is when parents come first', () => {
    const list = ['a', 'b a', 'c', 'd a', 'e c'].map((text) => ({ id: text[0]!, parentId: text[2] ?? null }))
    expect(ids(parentsFirst(list))).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('pulls up only what is missing', () => {
    const list = ['c b', 'x', 'a', 'b a'].map((text) => ({ id: text[0]!, parentId: text[2] ?? null }))
    expect(ids(parentsFirst(list))).toEqual(['a', 'b', 'c', 'x'])
  })

  it('keeps the last of two nodes with one id, at the place of the first', () => {
    const list = [
      { id: 'a', parentId: 'x', n: 1 },
      { id: 'b', parentId: null, n: 2 },
      { id: 'a', parentId: 'b', n: 3 },
    ]
    expect(parentsFirst(list).map(({ node }) => node.n)).toEqual([2, 3])
  })

  it('does not end up in its own stack', () => {
    const deep = Array.from({ length: 100_000 }, (_, i) => ({ id: `${i}`, parentId: `${i + 1}` }))
    expect(ids(parentsFirst(deep)).at(-1)).toBe('0')
    const circle = deep.map((node, i) => (i === deep.length - 1 ? { ...node, parentId: '0' } : node))
    expect(ids(parentsFirst(circle))[0]).toBe('0')
  })
})
