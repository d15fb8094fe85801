import type { ScaleOptions, ScaleRun } from './measured.ts'

/** What a whole run measures. */
export const wholeRun: Pick<ScaleOptions, 'sizes' | 'counts'> = {
  sizes: [1000, 10_000, 100_000, 1_000_000],
  counts: [100, 10_000],
}

/**
 * A run with what the one before it has left.
 *
 * @throws where that had other sizes, numbers of sessions or repetitions
 */
export function joinRuns(before: ScaleRun | undefined, run: ScaleRun): ScaleRun {
  if (before === undefined) return run
  const saidOf = ({ sizes, counts, reps }: ScaleRun): string =>
    `--sizes ${sizes.join(',')} --counts ${counts.join(',')} --reps ${reps}`
  if (saidOf(before) !== saidOf(run))
    throw new Error(
      `The run to go on with was made with ${saidOf(before)}, and this one is with ${saidOf(run)}. Pass the same, or leave --resume out to begin anew.`,
    )
  return {
    ...run,
    minutes: before.minutes + run.minutes,
    measured: [...before.measured, ...run.measured],
    extremes: [...before.extremes, ...run.extremes],
    unmeasured: [...new Set([...before.unmeasured, ...run.unmeasured])],
  }
}

/** Whether every row was measured along both axes, and every extreme, at all sizes of a whole run. */
export function isWholeRun(
  { sizes, counts, measured, extremes }: ScaleRun,
  rows: readonly string[],
  titles: readonly string[],
): boolean {
  const done = new Set(measured.map(({ axis, row }) => `${axis} ${row}`))
  return (
    wholeRun.sizes.every((size) => sizes.includes(size)) &&
    wholeRun.counts.every((count) => counts.includes(count)) &&
    rows.every((name) => done.has(`messages ${name}`) && done.has(`sessions ${name}`)) &&
    titles.every((title) => extremes.some(({ name }) => name.startsWith(`${title}: `)))
  )
}
