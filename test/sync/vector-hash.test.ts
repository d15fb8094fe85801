import { expect, it } from 'vitest'
import { vectorHash } from '../../src/sync/vector-hash.ts'

it('is the same for one vector, in whatever order its writers stand', () => {
  expect(vectorHash({ b: 2, a: 1 })).toBe(vectorHash({ a: 1, b: 2 }))
  expect(vectorHash({})).toMatch(/^[0-9a-f]{16}$/)
})

it('is another one in either half for vectors that hardly differ', () => {
  const counts = Array.from({ length: 30 }, (_, i) => i)
  const vectors = counts.flatMap((a) =>
    counts.flatMap((b) => [{ w1: a, w2: b }, { w1: a, w12: b }, { [`w${a}`]: b }, { [`w${a}`]: 1, [`v${b}`]: 1 }]),
  )
  const different = new Set(vectors.map((vector) => JSON.stringify(Object.entries(vector).sort())))
  const hashes = [...new Set(vectors.map(vectorHash))]
  expect(hashes).toHaveLength(different.size)
  expect(new Set(hashes.map((hash) => hash.slice(0, 8))).size).toBe(different.size)
  expect(new Set(hashes.map((hash) => hash.slice(8))).size).toBe(different.size)
})
