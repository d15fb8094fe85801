import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type BatchedReviews, createBatchedReviews } from '../../src/sync/batched-reviews.ts'

let made: (readonly string[])[]
let getsThrough: boolean
let told: number
let reviews: BatchedReviews

beforeEach(() => {
  vi.useFakeTimers()
  made = []
  getsThrough = true
  told = 0
  reviews = createBatchedReviews(
    (again) => {
      if (getsThrough) made.push(again)
      return getsThrough
    },
    () => (told += 1),
  )
})
afterEach(() => vi.useRealTimers())

it('are made at once, and those that are asked for just after that as one', () => {
  for (let n = 0; n < 1000; n++) reviews.request()
  expect([made.length, reviews.isPending(), told]).toEqual([1, true, 0])
  vi.runAllTimers()
  expect([made.length, reviews.isPending(), told]).toEqual([2, false, 1])
  reviews.request()
  expect([made.length, reviews.isPending()]).toEqual([3, false])
})

it('hold what is to be tried again until one gets through', () => {
  getsThrough = false
  reviews.request(['a'])
  reviews.request(['b'])
  getsThrough = true
  reviews.request()
  vi.runAllTimers()
  reviews.request()
  expect(made).toEqual([['a', 'b'], []])
})

it('are made no more once closed', () => {
  reviews.request()
  reviews.request()
  reviews.close()
  vi.runAllTimers()
  expect([made.length, reviews.isPending()]).toEqual([1, false])
})
