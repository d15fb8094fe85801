import { ours } from '../contender-names.ts'
import type { CaseResult } from '../sample.ts'
import { seriesOf } from './report.ts'
import { median, valuesOf } from './statistics.ts'

const width = 880
const labelWidth = 270
const valueWidth = 80
const rowHeight = 20
const plotWidth = width - labelWidth - valueWidth

const style = `
  svg { color-scheme: light dark; --ink: #1f2328; --faint: #d0d7de; --muted: #656d76; --bar: #9aa7b5; --ours: #1a7f64; --page: #74b8a4 }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #30363d; --muted: #8d96a0; --bar: #5b6775; --ours: #3fc19a; --page: #2f7d68 } }
  text { font: 12px system-ui, sans-serif; fill: var(--ink) }
  .title { font-size: 15px; font-weight: 600 }
  .group { font-weight: 600; fill: var(--muted) }
  .axis { font-size: 10px; fill: var(--muted) }
  line { stroke: var(--faint) }
  rect { fill: var(--bar) }
  .ours { fill: var(--ours) }
  .page { fill: var(--page) }`

/** Draws the medians of all cases as bars on a logarithmic scale, one scale for each case. */
export function chartOf(results: readonly CaseResult[]): string {
  const parts: string[] = []
  let y = 16
  for (const result of results) {
    const { body, height } = panelOf(result, y)
    parts.push(body)
    y += height + 28
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="Medians of all measurements, on logarithmic scales; shorter is better">
<style>${style}
</style>
${parts.join('\n')}
</svg>
`
}

function panelOf(
  { title, unit, samples }: CaseResult,
  top: number,
): { readonly body: string; readonly height: number } {
  const bars = seriesOf(samples).map((one) => ({ ...one, ms: median([...valuesOf(samples, one).values()]) }))
  const low = Math.floor(Math.log10(Math.min(...bars.map(({ ms }) => ms))))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...bars.map(({ ms }) => ms)))))
  const x = (ms: number): number => Math.round(labelWidth + (plotWidth * (Math.log10(ms) - low)) / (high - low))

  const lines: string[] = [text(0, top + 4, `${title}, ${unit} (logarithmic; shorter is better)`, 'title')]
  let y = top + 24
  const first = y
  let group = ''
  for (const { group: of, contender, ms } of bars) {
    if (of !== group) {
      y += group === '' ? 0 : 8
      lines.push(text(0, y + 13, of, 'group'))
      y += rowHeight
      group = of
    }
    const kind = contender === ours ? ' class="ours"' : contender.startsWith(ours) ? ' class="page"' : ''
    lines.push(
      text(12, y + 13, contender),
      `<rect${kind} x="${labelWidth}" y="${y + 3}" width="${Math.max(2, x(ms) - labelWidth)}" height="${rowHeight - 6}" rx="2"/>`,
      text(x(ms) + 6, y + 13, shortOf(ms)),
    )
    y += rowHeight
  }
  const ticks: string[] = []
  for (let power = low; power <= high; power++) {
    const at = x(10 ** power)
    ticks.push(
      `<line x1="${at}" x2="${at}" y1="${first}" y2="${y + 2}"/>`,
      `<text class="axis" x="${at}" y="${y + 14}" text-anchor="middle">${label(power)}</text>`,
    )
  }
  return { body: [...ticks, ...lines].join('\n'), height: y + 14 - top }
}

const text = (x: number, y: number, content: string, kind?: string): string =>
  `<text${kind === undefined ? '' : ` class="${kind}"`} x="${x}" y="${y}">${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`

const label = (power: number): string =>
  power < 0 ? (10 ** power).toFixed(-power) : (10 ** power).toLocaleString('en-US')

const shortOf = (ms: number): string =>
  ms >= 100 ? Math.round(ms).toLocaleString('en-US') : ms.toPrecision(ms >= 10 ? 3 : 2)
