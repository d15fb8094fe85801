import { count } from '../count.ts'
import { type Judged, judgeRow, timeOf } from './judge.ts'
import type { Measured } from './measured.ts'

export interface ScaleReport {
  /** Markdown. */
  readonly text: string
  /** What the rig fails by. */
  readonly findings: readonly string[]
}

/** What was measured, as two tables, and what is wrong with it. */
export function scaleReport(measured: readonly Measured[], unmeasured: readonly string[], words: string): ScaleReport {
  const bySize = judgedBy(measured.filter(({ ground }) => ground.sessions === 1000), 'messages')
  const byCount = judgedBy(measured.filter(({ ground }) => ground.sessions !== 1000), 'sessions')
  const findings = [
    ...unmeasured.map((method) => `${method}: no row measures it`),
    ...bySize.flatMap(({ row, findings }) => findings.map((finding) => `${row}: ${finding}`)),
    ...byCount.flatMap(({ row, findings }) => findings.map((finding) => `${row}, by sessions: ${finding}`)),
  ]
  const text = [
    words,
    ...(bySize.length === 0 ? [] : ['### By the messages of the session', tableOf(bySize, 'messages')]),
    ...(byCount.length === 0 ? [] : ['### By the number of sessions', tableOf(byCount, 'sessions')]),
    '### What is not as it should be',
    findings.length === 0 ? 'Nothing.' : findings.map((finding) => `- ${finding}`).join('\n'),
  ].join('\n\n')
  return { text, findings }
}

function judgedBy(measured: readonly Measured[], axis: 'messages' | 'sessions'): readonly Judged[] {
  const rows = [...new Set(measured.map(({ row }) => row))]
  return rows.map((row) => judgeRow(measured.filter((one) => one.row === row).sort((a, b) => a.ground[axis] - b.ground[axis]), axis))
}

function tableOf(judged: readonly Judged[], axis: 'messages' | 'sessions'): string {
  const sizes = [...new Set(judged.flatMap(({ points }) => points.map(({ ground }) => ground[axis])))].sort((a, b) => a - b)
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = judged.map(({ row, growth, points, ratio, findings }) => [
    `\`${row.replace(/^(\S+).*/, '$1')}\`${row.replace(/^\S+/, '')}`,
    growth,
    ...sizes.map((size) => cellOf(points.find(({ ground }) => ground[axis] === size))),
    ratio === undefined ? '' : ratio.toFixed(ratio < 10 ? 2 : 0),
    findings.length === 0 ? 'ok' : '**no**',
  ])
  return [line(['Call', 'Class', ...sizes.map((size) => `${count(size)} (ms)`), 'Ratio', '']), line(['---', '---', ...sizes.map(() => '---:'), '---:', '---']), ...rows.map(line)].join('\n')
}

function cellOf(point: Measured | undefined): string {
  if (point === undefined) return '–'
  if (point.error !== undefined) return 'fails'
  const ms = timeOf(point.calls)
  return ms >= 100 ? count(Math.round(ms)) : ms.toPrecision(ms >= 10 ? 3 : 2)
}
