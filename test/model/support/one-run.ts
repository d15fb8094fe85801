import { differences } from './compare.ts'
import type { Schedule } from './simulation.ts'
import { exchangeAll, simulate } from './simulation.ts'

/** Plays one run; returns the first difference between what a device keeps and the fold, if there is one. */
export function firstDifference(schedule: Schedule): readonly string[] {
  let found: readonly string[] = []
  const observer = {
    settled: (device: Parameters<typeof differences>[0]): void => {
      if (found.length === 0) found = differences(device)
    },
  }
  exchangeAll(simulate(schedule, observer), observer)
  return found
}
