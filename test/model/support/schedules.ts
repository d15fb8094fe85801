import fc from 'fast-check'
import type { Schedule } from './simulation.ts'

const day = 86_400_000

/** Runs of three devices with two tabs each, clocks up to a day off either way. */
export function schedules(maxSteps = 60): fc.Arbitrary<Schedule> {
  const step = fc.tuple(fc.nat(0xffff), fc.nat(5), fc.nat(0xffff), fc.nat(0xffff))
  return fc.record({
    skews: fc.tuple(fc.integer({ min: -day, max: day }), fc.integer({ min: -day, max: day }), fc.constant(0)),
    steps: fc.array(step, { minLength: Math.min(10, maxSteps), maxLength: maxSteps, size: 'max' }),
  })
}
