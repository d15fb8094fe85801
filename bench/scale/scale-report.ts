import { count } from '../count.ts'
import { type Judged, judgeRow, timeOf } from './judge.ts'
import type { Extreme, Measured } from './measured.ts'

export interface ScaleReport {
  /** Markdown. */
  readonly text: string
  /** What the rig fails by. */
  readonly findings: readonly string[]
}

export interface ScaleResults {
  readonly measured: readonly Measured[]
  readonly extremes: readonly Extreme[]
  /** Methods that no row measures. */
  readonly unmeasured: readonly string[]
  /** What a reader must know of the run. */
  readonly words: string
}

/** What was measured, as tables, and what is wrong with it. */
export function scaleReport({ measured, extremes, unmeasured, words }: ScaleResults): ScaleReport {
  const bySize = judgedBy(measured, 'messages')
  const byCount = judgedBy(measured, 'sessions')
  const findings = [
    ...unmeasured.map((method) => `${method}: no row measures it`),
    ...bySize.flatMap(({ row, findings }) => findings.map((finding) => `${row}: ${finding}`)),
    ...byCount.flatMap(({ row, findings }) => findings.map((finding) => `${row}, by sessions: ${finding}`)),
    ...extremes.flatMap(({ name, error, busy, isWhole }) => [
      ...(error === undefined ? [] : [`${name}: fails: ${error}`]),
      ...(busy > 50 && isWhole === undefined ? [`${name}: keeps the page busy for ${Math.round(busy)} ms`] : []),
    ]),
  ]
  const text = [
    words,
    ...(bySize.length === 0 ? [] : ['#### By the messages of the session', tableOf(bySize, 'messages')]),
    ...(byCount.length === 0 ? [] : ['#### By the number of sessions', tableOf(byCount, 'sessions')]),
    ...(extremes.length === 0 ? [] : ['#### Extremes', extremesTable(extremes)]),
    '#### What is not as it should be',
    findings.length === 0 ? 'Nothing.' : findings.map((finding) => `- ${finding}`).join('\n'),
  ].join('\n\n')
  return { text, findings }
}

function extremesTable(extremes: readonly Extreme[]): string {
  const rows = extremes.map(
    ({ name, ms, longestTask, busy, isWhole, error }) =>
      `| ${name} | ${error === undefined ? count(Math.round(ms)) : 'fails'} | ${Math.round(longestTask)} | ${Math.round(busy)}${isWhole === undefined ? '' : `; ${isWhole}`} |`,
  )
  return [
    '| | ms | Longest task of a page, by the clock | At work in it |',
    '| --- | ---: | ---: | --- |',
    ...rows,
  ].join('\n')
}

function judgedBy(all: readonly Measured[], axis: Measured['axis']): readonly Judged[] {
  const measured = all.filter((one) => one.axis === axis)
  const rows = [...new Set(measured.map(({ row }) => row))]
  return rows.map((row) =>
    judgeRow(
      measured.filter((one) => one.row === row).sort((a, b) => a.ground[axis] - b.ground[axis]),
      axis,
    ),
  )
}

function tableOf(judged: readonly Judged[], axis: Measured['axis']): string {
  const sizes = [...new Set(judged.flatMap(({ points }) => points.map(({ ground }) => ground[axis])))].sort(
    (a, b) => a - b,
  )
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = judged.map(({ row, growth, points, ratio, findings }) => [
    `\`${row.replace(/^(\S+).*/, '$1')}\`${row.replace(/^\S+/, '')}`,
    growth,
    ...sizes.map((size) => cellOf(points.find(({ ground }) => ground[axis] === size))),
    ratio === undefined ? '' : ratio.toFixed(ratio < 10 ? 2 : 0),
    growth === 'flat' ? '' : heldText(points),
    findings.length === 0 ? 'ok' : '**no**',
  ])
  return [
    line(['Call', 'Class', ...sizes.map((size) => `${count(size)} (ms)`), 'Ratio', 'More held (MB)', '']),
    line(['---', '---', ...sizes.map(() => '---:'), '---:', '---:', '---']),
    ...rows.map(line),
  ].join('\n')
}

/** What the browser held more at the largest size. */
function heldText(points: readonly Measured[]): string {
  const held = points.findLast(({ megabytes }) => megabytes !== undefined)?.megabytes
  return held === undefined ? '' : count(Math.round(held))
}

function cellOf(point: Measured | undefined): string {
  if (point === undefined) return '–'
  if (point.error !== undefined) return 'fails'
  const ms = timeOf(point.calls)
  return ms >= 100 ? count(Math.round(ms)) : ms.toPrecision(ms >= 10 ? 3 : 2)
}
