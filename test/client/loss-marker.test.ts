import { expect, it } from 'vitest'
import { describeLoss } from '../../src/client/worker/loss-marker.ts'

it('a loss is described by the time of the newest session', () => {
  expect(describeLoss({ sessions: 2, updatedAt: 0 })).toBe(
    ' It had about 2 sessions, the newest of 1970-01-01T00:00:00.000Z.',
  )
  expect(describeLoss({})).toBe('')
})

it.each([1e300, -1e300, 8.64e15 + 1])('a loss is described although no calendar has the time %d', (updatedAt) => {
  expect(describeLoss({ sessions: 1, updatedAt })).toContain('1 sessions, the newest of a time that')
})
