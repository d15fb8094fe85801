import { describe, expect, it } from 'vitest'
import { emptyCold } from '../../src/domain/empty-rows.ts'
import { lineOf, resolveChain } from '../../src/domain/line.ts'

describe('a line', () => {
  it.each(['nobody.0', 'constructor', '__proto__', 'toString'])(
    'does not resolve when nothing opened it, not even %s',
    (branch) => {
      expect(resolveChain(emptyCold, branch)).toBe(undefined)
      expect(lineOf(emptyCold, branch)).toBe(undefined)
    },
  )
})
