import { ours as base } from '../contender-names.ts'
import type { CaseResult, Sample } from '../sample.ts'
import { median, ratioOf, valuesOf } from './statistics.ts'
import type { Verdict } from './targets.ts'

export interface Circumstances {
  readonly machine: string
  readonly browser: string
  readonly reps: number
  readonly isQuick: boolean
}

/** The whole report as Markdown. */
export function reportOf(
  results: readonly CaseResult[],
  { machine, browser, reps, isQuick }: Circumstances,
  verdicts: readonly Verdict[],
): string {
  return [
    `${new Date().toISOString().slice(0, 10)}, ${browser}, ${machine}. ${reps} repetitions${isQuick ? ' of small sizes' : ''}; every repetition runs all contenders of a case in shuffled order. ` +
      'Times are medians. “× keepsession” is the median of the ratios to keepsession in the same repetition and group: above 1 means slower than keepsession. ' +
      'Ratios carry over to other machines, milliseconds do not.',
    ...(verdicts.length === 0
      ? []
      : [
          `### Goals\n\n${tableOf(
            ['', 'Goal', 'Measured', 'Limit', 'Aim'],
            verdicts.map(({ name, figure, limit, aim, isMet }) => [
              isMet ? 'met' : '**missed**',
              name,
              figure,
              limit,
              aim,
            ]),
          )}`,
        ]),
    ...results.map(sectionOf),
  ].join('\n\n')
}

function sectionOf({ title, notes, unit, samples }: CaseResult): string {
  const whats = [...new Set(samples.flatMap(({ figures }) => Object.keys(figures)))].sort((a, b) => rank(a) - rank(b))
  const rows = seriesOf(samples).map(({ group, contender }) => [
    group,
    contender === base ? `**${contender}**` : contender,
    ...whats.map((what) => figureOf([...valuesOf(samples, { group, contender, what }).values()], what)),
    contender === base ? '1' : ratioText(ratioOf(samples, { group, contender }, { group, contender: base })),
  ])
  return `### ${title}\n\n${notes.join(' ')}\n\n${tableOf(['', 'Contender', ...whats.map((what) => `${what} (${unit})`), '× keepsession'], rows)}`
}

const order = ['code runs', 'store open', 'first page', 'time', 'indexed', 'longest task', 'longest gap']
const rank = (what: string): number => order.indexOf(what)

/** Each contender of each group once: groups as measured first to last by size, keepsession first. */
export function seriesOf(
  samples: readonly Sample[],
): readonly { readonly group: string; readonly contender: string }[] {
  const names = [...new Set(samples.map(({ group, contender }) => JSON.stringify([group, contender])))]
  const series = names
    .map((name) => JSON.parse(name) as [string, string])
    .map(([group, contender]) => ({ group, contender }))
  const size = (group: string): number => Number(/[\d,]{3,}/.exec(group)?.[0].replaceAll(',', '') ?? 0)
  const time = (one: { readonly group: string; readonly contender: string }): number =>
    one.contender === base ? 0 : median([...valuesOf(samples, one).values()])
  return series.sort((a, b) => size(a.group) - size(b.group) || a.group.localeCompare(b.group) || time(a) - time(b))
}

function figureOf(values: readonly number[], what: string): string {
  if (values.length === 0) return ''
  // One long task is one too many.
  const value = what.startsWith('longest') ? Math.max(...values) : median(values)
  if (what === 'longest task' && value === 0) return 'none'
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(value >= 10 ? 3 : 2)
}

function ratioText(ratio: number | undefined): string {
  if (ratio === undefined) return ''
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
