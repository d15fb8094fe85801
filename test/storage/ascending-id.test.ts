import { expect, it } from 'vitest'
import { createAscendingId } from '../../src/storage/ascending-id.ts'

/** Draws an id at each of these times. */
const drawAt = (times: readonly number[]): string[] => {
  let i = 0
  const draw = createAscendingId(
    () => times[i++]!,
    () => 2 ** 53 - 1 - i,
  )
  return times.map(() => draw())
}

it.each<[string, number[]]>([
  ['runs', [5, 6, 35, 36, 37, 46_655, 46_656, Date.UTC(2025, 0), Date.UTC(2100, 0)]],
  ['stands still', [5, 5, 5, 5]],
  ['goes back', [Date.UTC(2025, 0), 3, Date.UTC(2025, 0), 4]],
])('draws ids that ascend as text while the clock %s', (_, times) => {
  const ids = drawAt(times)
  expect(new Set(ids).size).toBe(times.length)
  expect([...ids].sort()).toEqual(ids)
})

it('draws other ids than another generator at the same time', () => {
  const draw = (random: number): string =>
    createAscendingId(
      () => 7,
      () => random,
    )()
  expect(draw(1)).not.toBe(draw(2))
})
