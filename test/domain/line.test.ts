import { describe, expect, it } from 'vitest'
import { emptyCold } from '../../src/domain/empty-rows.ts'
import { lineOf, resolveChain, resolveHead } from '../../src/domain/line.ts'

describe('a line', () => {
  it.each(['nobody.0', 'constructor', '__proto__', 'toString'])(
    'does not resolve when nothing opened it, not even %s',
    (branch) => {
      expect(resolveChain(emptyCold, branch)).toBe(undefined)
      expect(lineOf(emptyCold, branch)).toBe(undefined)
    },
  )
})

it('finds the head among a thousand branches that fork from each other, looking at each of them once', () => {
  const count = 1000
  const name = (i: number): string => (i < 0 ? '' : `b${i}`)
  const order = (i: number): string => `o${String(i + 1).padStart(5, '0')}`
  const rows = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      name(i),
      { order: order(i), fork: { branch: name(i - 1), order: order(i - 1), vv: {}, cuts: '' } },
    ]),
  ) as unknown as typeof emptyCold.branches
  let looks = 0
  const branches = new Proxy(rows, {
    get: (all, branch, receiver) => {
      looks++
      return Reflect.get(all, branch, receiver)
    },
  })
  const heads = Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), order(i)]))
  expect(resolveHead({ branches, heads, targets: {} })).toBe(name(count - 1))
  expect(looks).toBeLessThanOrEqual(count)
  // One that was opened by an entry which is not here yet is no head.
  expect(resolveHead({ branches, heads: { ...heads, missing: order(count) }, targets: {} })).toBe(name(count - 1))
})
