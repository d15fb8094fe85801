import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createGatheredReviews, type GatheredReviews } from '../../src/sync/gathered-reviews.ts'

let made: (readonly string[])[]
let getsThrough: boolean
let told: number
let reviews: GatheredReviews

beforeEach(() => {
  vi.useFakeTimers()
  made = []
  getsThrough = true
  told = 0
  reviews = createGatheredReviews((again) => {
    if (getsThrough) made.push(again)
    return getsThrough
  }, () => (told += 1))
})
afterEach(() => vi.useRealTimers())

it('are made at once, and those that are asked for just after that as one', () => {
  for (let n = 0; n < 1000; n++) reviews.ask()
  expect([made.length, reviews.isDue(), told]).toEqual([1, true, 0])
  vi.runAllTimers()
  expect([made.length, reviews.isDue(), told]).toEqual([2, false, 1])
  reviews.ask()
  expect([made.length, reviews.isDue()]).toEqual([3, false])
})

it('hold what is to be tried again until one gets through', () => {
  getsThrough = false
  reviews.ask(['a'])
  reviews.ask(['b'])
  getsThrough = true
  reviews.ask()
  vi.runAllTimers()
  reviews.ask()
  expect(made).toEqual([['a', 'b'], []])
})

it('are made no more once closed', () => {
  reviews.ask()
  reviews.ask()
  reviews.close()
  vi.runAllTimers()
  expect([made.length, reviews.isDue()]).toEqual([1, false])
})
