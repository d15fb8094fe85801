import { median } from '../report/statistics.ts'
import { ours, type SyncSample } from './sample.ts'

interface Goal {
  readonly group: RegExp
  readonly contender: string
  readonly what: string
  readonly limit: number
}

const stored = `${ours}, stored by a Chromium`
const sealed = `${ours}, end-to-end encrypted`
const live = 'live, over the payload (B)'
const rest = 'at rest, over the payload (B)'
const goals: readonly Goal[] = [
  { group: /messages of 1 kB/, contender: ours, what: live, limit: 45 },
  { group: /messages of 1 kB/, contender: ours, what: rest, limit: 20 },
  { group: /messages of 1 kB/, contender: sealed, what: live, limit: 80 },
  { group: /messages of 1 kB/, contender: sealed, what: rest, limit: 56 },
  { group: /^Reconnect/, contender: ours, what: 'nothing new (B)', limit: 1000 },
  { group: /^Reconnect/, contender: ours, what: 'up / new content', limit: 1.05 },
  { group: /^Reconnect/, contender: ours, what: 'down / new content', limit: 1.05 },
  { group: /^1,000 \+/, contender: ours, what: 'stored on both (ms)', limit: 500 },
  { group: /^10,000 \+/, contender: ours, what: 'stored on both (ms)', limit: 4000 },
  ...[ours, stored].flatMap((contender): Goal[] => [
    { group: /^1,000 sessions/, contender, what: 'first list (ms)', limit: 100 },
    { group: /^1,000 sessions/, contender, what: 'all (ms)', limit: 8000 },
    { group: /^1,000 sessions/, contender, what: 'heap (MB)', limit: 10 },
    { group: /^1,000 sessions/, contender, what: '3 changed (ms)', limit: 150 },
    { group: /^2,000 sessions/, contender, what: 'all (ms)', limit: 5000 },
  ]),
]

/** Tables of medians, each with its ratio to keepsession's in the same repetition. */
export function syncReport(samples: readonly SyncSample[], machine: string): string {
  const groups = [...new Set(samples.map(({ group }) => group))]
  const met = goals.flatMap(({ group, contender, what, limit }) => {
    const found = samples
      .filter((one) => group.test(one.group) && one.contender === contender)
      .map(({ figures }) => figures[what]!)
    const measured = found.length === 0 ? undefined : samples.find((one) => group.test(one.group))?.group
    return measured === undefined
      ? []
      : [
          `| ${median(found) <= limit ? 'PASS' : 'MISS'} | ${measured}; ${contender}: ${what} | ${short(median(found))} (≤ ${limit}) |`,
        ]
  })
  return [
    '# Sync',
    `Node ${process.version}; ${machine}. Medians; in brackets the median of the ratios to keepsession in the same repetition.`,
    ...groups.map((group) => tableOf(samples.filter((one) => one.group === group))),
    ['|  | Target | Measured |', '| --- | --- | --- |', ...met].join('\n'),
  ].join('\n\n')
}

function tableOf(samples: readonly SyncSample[]): string {
  const whats = [...new Set(samples.flatMap(({ figures }) => Object.keys(figures)))]
  const base = new Map(samples.filter(({ contender }) => contender === ours).map((one) => [one.rep, one.figures]))
  const contenders = [...new Set(samples.map(({ contender }) => contender))].sort(
    (a, b) => Number(b === ours) - Number(a === ours) || a.localeCompare(b),
  )
  const rows = contenders.map((contender) => {
    const own = samples.filter((one) => one.contender === contender)
    const cells = whats.map((what) => {
      const values = own.flatMap(({ figures }) => figures[what] ?? [])
      if (values.length === 0) return ''
      const ratios = own.flatMap(({ rep, figures }) =>
        base.get(rep)?.[what] === undefined ? [] : figures[what]! / base.get(rep)![what]!,
      )
      return `${short(median(values))}${contender === ours ? '' : ` (${short(median(ratios))}×)`}`
    })
    return `| ${contender} | ${cells.join(' | ')} |`
  })
  return [
    `## ${samples[0]!.group}`,
    '',
    `|  | ${whats.join(' | ')} |`,
    `| ${['', ...whats].map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n')
}

const short = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)
