import type { CaseResult, Effort, Sample } from '../sample.ts'

/** One contender in one group of a case. */
export interface Cell {
  readonly group: string
  readonly contender: string
  /** Does it once; gives milliseconds by what was measured, the first of which is compared. @param rep - counts from -1, which warms up */
  readonly run: (rep: number) => Promise<Readonly<Record<string, number>>>
}

export interface OpenCase extends Omit<CaseResult, 'name' | 'unit' | 'samples'> {
  readonly cells: readonly Cell[]
  /** Closes what was opened. */
  readonly close: () => Promise<void>
}

/** Runs all cells in every repetition, in shuffled order, after one repetition that isn't counted. */
export async function runCells(
  cells: readonly Cell[],
  { reps, only }: Effort,
  say: (text: string) => void,
): Promise<Sample[]> {
  const samples: Sample[] = []
  const meant = only === undefined ? cells : cells.filter(({ contender }) => contender === only)
  for (let rep = -1; rep < reps; rep++) {
    for (const { group, contender, run } of shuffled(meant, rep)) {
      collectGarbage()
      const figures = await run(rep)
      if (rep >= 0) samples.push({ rep, group, contender, figures })
    }
    if (rep < 0) await profiler.whenWarm?.()
    say(rep < 0 ? 'warm' : `repetition ${rep + 1} of ${reps}`)
  }
  await profiler.whenDone?.()
  return samples
}

/** What a profiler has the run wait for: it looks at what happens in between. */
const profiler = globalThis as { readonly whenWarm?: () => Promise<void>; readonly whenDone?: () => Promise<void> }

/** Exists because the bench's browser is started with it. Otherwise one contender pays for another's garbage. */
function collectGarbage(): void {
  ;(globalThis as { gc?: () => void }).gc?.()
}

/** The same order for the same repetition of every run. */
function shuffled<T>(list: readonly T[], seed: number): readonly T[] {
  const order = [...list]
  let state = (seed + 2) * 2_654_435_761
  for (let i = order.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const j = state % (i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}
