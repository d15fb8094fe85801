import { expect, it } from 'vitest'
import { periodOf } from '../../demo/sessions/period-of.ts'
import { longTime, shortTime } from '../../demo/ui/format.ts'

const now = new Date(2026, 4, 20, 0, 30).getTime()
const at = (...date: readonly [year: number, month: number, day: number, hour: number, minute: number]): number =>
  new Date(...date).getTime()

it.each([
  [at(2026, 4, 20, 0, 5), 'Today'],
  [at(2026, 4, 20, 1, 0), 'Today'],
  [1e300, 'Today'],
  [at(2026, 4, 19, 23, 59), 'Yesterday'],
  [at(2026, 4, 18, 23, 59), 'Previous 7 days'],
  [at(2026, 4, 13, 0, 0), 'Previous 7 days'],
  [at(2026, 4, 12, 23, 59), 'Previous 30 days'],
  [at(2026, 3, 20, 0, 0), 'Previous 30 days'],
  [at(2026, 3, 19, 23, 59), 'April 2026'],
  [at(2025, 11, 31, 12, 0), 'December 2025'],
])('%i stands under the heading %s', (time, period) => expect(periodOf(time, now)).toBe(period))

it('a time that no calendar has is not shown', () => expect([shortTime(1e300, now), longTime(1e300)]).toEqual(['', '']))
