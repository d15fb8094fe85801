import type { Sample } from '../sample.ts'

/** One series of measurements within a case. */
export interface Series {
  readonly group: string
  readonly contender: string
  /** What was measured; default: the first figure. */
  readonly what?: string
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The values of a series by repetition. */
export function valuesOf(samples: readonly Sample[], { group, contender, what }: Series): ReadonlyMap<number, number> {
  const values = new Map<number, number>()
  for (const sample of samples) {
    const value = what === undefined ? Object.values(sample.figures)[0] : sample.figures[what]
    if (sample.group === group && sample.contender === contender && value !== undefined) values.set(sample.rep, value)
  }
  return values
}

/**
 * The median of what `a` took divided by what `b` took in the same repetition: what slows the machine down slows both.
 */
export function ratioOf(samples: readonly Sample[], a: Series, b: Series): number | undefined {
  const base = valuesOf(samples, b)
  const ratios = [...valuesOf(samples, a)].flatMap(([rep, value]) => {
    const other = base.get(rep)
    return other === undefined ? [] : value / other
  })
  return ratios.length === 0 ? undefined : median(ratios)
}
