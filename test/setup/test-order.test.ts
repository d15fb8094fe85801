import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { longFiles, ordered } from '../support/test-order.ts'

const files = Array.from({ length: 40 }, (_, i) => i)
const isLong = (file: number): boolean => file % 4 === 0

it('all files are run, the long ones first', () => {
  const order = ordered(files, isLong, 1)
  expect([...order].sort((a, b) => a - b)).toEqual(files)
  expect(order.slice(0, 10).every(isLong)).toBe(true)
})

it('the long files and the others come in the order of the seed', () => {
  const [one, again, other] = [1, 1, 2].map((seed) => ordered(files, isLong, seed))
  expect(again).toEqual(one)
  expect(other!.slice(0, 10)).not.toEqual(one!.slice(0, 10))
  expect(other!.slice(10)).not.toEqual(one!.slice(10))
})

it.each(longFiles)('%s, which is begun early, is there', (file) => {
  expect(existsSync(new URL(`../../${file}`, import.meta.url))).toBe(true)
})
