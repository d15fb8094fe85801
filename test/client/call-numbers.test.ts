import { expect, it } from 'vitest'
import { createCallNumbers } from '../../src/client/worker/call-numbers.ts'

it('counts on within each session', () => {
  const draw = createCallNumbers('page.')
  expect(['a', 'a', 'b', 'a', 'b'].map(draw)).toEqual(['page.0.0', 'page.0.1', 'page.1.0', 'page.0.2', 'page.1.1'])
})

it('draws no id twice, however many sessions there are', () => {
  const draw = createCallNumbers('page.')
  const ids = Array.from({ length: 10_000 }, (_, i) => draw(`session ${(i * 7919) % 300}`))
  expect(new Set(ids).size).toBe(ids.length)
})
