import { bare, dexie, ours, raw } from '../contender-names.ts'
import type { CaseName, CaseResult } from '../sample.ts'
import { median, ratioOf, type Series, valuesOf } from './statistics.ts'

/** What keepsession wants to reach. */
interface Target {
  readonly name: string
  readonly case: CaseName
  readonly limit: number
  /** What it would be proud of. */
  readonly aim?: number
  readonly isAtLeast?: true
  readonly unit: '×' | ' ms' | ' MB'
  readonly figure: (samples: CaseResult['samples']) => number | undefined
}

export interface Verdict {
  readonly name: string
  /** As text. */
  readonly figure: string
  readonly limit: string
  readonly aim: string
  readonly isMet: boolean
}

const ratio =
  (a: Series, b: Series): Target['figure'] =>
  (samples) =>
    ratioOf(samples, a, b)

const over =
  (fold: (values: readonly number[]) => number, series: Series): Target['figure'] =>
  (samples) => {
    const values = [...valuesOf(samples, series).values()]
    return values.length === 0 ? undefined : fold(values)
  }
const largest = (values: readonly number[]): number => Math.max(...values)

/** Over the kinds of queries, without what is no query alone. */
const medianOfQueries: Target['figure'] = (samples) => {
  const others = ['misspelt', 'the index loaded first', 'from append to found']
  const values = samples
    .filter(
      ({ group, contender }) =>
        contender === ours && group.startsWith('50,000 messages, ') && !others.some((one) => group.endsWith(one)),
    )
    .map(({ figures }) => figures['time']!)
  return values.length === 0 ? undefined : median(values)
}

const burst = (contender: string): Series => ({ group: '10,000 messages', contender })
const onDisk = (contender: string): Series => ({ group: '50,000 messages of 1 kB', contender })
const load = (contender: string, what?: string): Series => ({
  group: '100,000 messages',
  contender,
  ...(what === undefined ? {} : { what }),
})

const targets: readonly Target[] = [
  ...(['relaxed', 'strict'] as const).map((durability): Target => {
    const group = `1,000 stored, ${durability}`
    return {
      name: `Awaited append through the worker against raw row and meta on the page, ${durability}`,
      case: 'append',
      limit: 0.9,
      aim: durability === 'relaxed' ? 0.5 : 0.6,
      unit: '×',
      figure: ratio({ group, contender: ours }, { group, contender: raw }),
    }
  }),
  {
    name: 'Awaited append: Dexie on the page against ours through the worker',
    case: 'append',
    limit: 1.5,
    aim: 3,
    isAtLeast: true,
    unit: '×',
    figure: ratio(
      { group: '1,000 stored, relaxed', contender: dexie },
      { group: '1,000 stored, relaxed', contender: ours },
    ),
  },
  {
    name: 'Awaited append with 1,000,000 stored against 100',
    case: 'append',
    limit: 1.2,
    aim: 1,
    unit: '×',
    figure: ratio(
      { group: '1,000,000 stored, relaxed', contender: ours },
      { group: '100 stored, relaxed', contender: ours },
    ),
  },
  {
    name: 'Burst of 10,000: Dexie with one put each against ours',
    case: 'burst',
    limit: 50,
    aim: 80,
    isAtLeast: true,
    unit: '×',
    figure: ratio(burst(`${dexie}, one put each`), burst(ours)),
  },
  {
    name: 'Burst of 10,000: one raw transaction against ours',
    case: 'burst',
    limit: 3,
    aim: 5,
    isAtLeast: true,
    unit: '×',
    figure: ratio(burst(`${raw}, one transaction`), burst(ours)),
  },
  {
    name: 'Burst of 10,000: longest task of the page in any repetition',
    case: 'burst',
    limit: 50,
    unit: ' ms',
    figure: over(largest, { ...burst(ours), what: 'longest task' }),
  },
  {
    name: 'Last 50 of 100,000, warm, against raw on the page',
    case: 'tail',
    limit: 1.8,
    aim: 1.3,
    unit: '×',
    figure: ratio({ group: '100,000 stored', contender: ours }, { group: '100,000 stored', contender: raw }),
  },
  {
    name: 'Last 50 of 100,000 against last 50 of 100',
    case: 'tail',
    limit: 1.3,
    unit: '×',
    figure: ratio({ group: '100,000 stored', contender: ours }, { group: '100 stored', contender: ours }),
  },
  {
    name: 'Full load of 100,000: a row for each message against ours',
    case: 'load',
    limit: 2,
    aim: 3,
    isAtLeast: true,
    unit: '×',
    figure: ratio(load(raw), load(ours)),
  },
  {
    name: 'Full load of 100,000: first page',
    case: 'load',
    limit: 6,
    aim: 3,
    unit: ' ms',
    figure: over(median, load(ours, 'first page')),
  },
  {
    name: 'Full load of 100,000: longest task of the page in any repetition',
    case: 'load',
    limit: 50,
    unit: ' ms',
    figure: over(largest, load(ours, 'longest task')),
  },
  ...(
    [
      ['first page of a browser', 1.3, 1.1],
      ['second visit', 1.6, 1.25],
    ] as const
  ).map(([visit, limit, aim]): Target => {
    const group = `100,000 stored, ${visit}`
    return {
      name: `From navigation to the last 50 of 100,000 against a bare page, ${visit}`,
      case: 'cold',
      limit,
      aim,
      unit: '×',
      figure: ratio({ group, contender: ours }, { group, contender: bare }),
    }
  }),
  {
    name: 'Bytes on disk for each message of 1 kB, journal included, against raw rows',
    case: 'disk',
    limit: 2.2,
    aim: 1.6,
    unit: '×',
    figure: ratio(onDisk(ours), onDisk(raw)),
  },
  {
    name: 'Heap of the worker after 1,000,000 appends',
    case: 'heap',
    limit: 8,
    unit: ' MB',
    figure: over(largest, { group: 'after 1,000,000 appends', contender: ours, what: 'worker' }),
  },
  ...['never asked for', 'asked for before'].map((what): Target => {
    const group = `10,000 sessions, ${what}`
    return {
      name: `A session by its alias against by its key, ${what}`,
      case: 'alias',
      limit: 1.5,
      unit: '×',
      figure: ratio({ group, contender: 'by alias' }, { group, contender: 'by key' }),
    }
  }),
  ...['all that is kept', '5,000 tokens'].map(
    (what): Target => ({
      name: `Context of a compacted session of 100,000 against one of 1,000, ${what}`,
      case: 'context',
      limit: 2,
      unit: '×',
      figure: ratio(
        { group: `100,000 stored, ${what}`, contender: ours },
        { group: `1,000 stored, ${what}`, contender: ours },
      ),
    }),
  ),
  ...[ours, 'AI SDK adapter', 'TanStack AI adapter'].map(
    (contender): Target => ({
      name: `A piece of a reply in a chat of 4,000 messages, ${contender}, for each 1,000`,
      case: 'stream',
      limit: 300,
      unit: ' ms',
      figure: over(median, { group: 'a chat of 4,000 messages', contender, what: 'for each 1,000 pieces' }),
    }),
  ),
  {
    name: 'Search over 50,000 messages: median of all kinds of queries',
    case: 'search',
    limit: 20,
    unit: ' ms',
    figure: medianOfQueries,
  },
]

/** Says which targets were met, of those that were measured. */
export function checkTargets(results: readonly CaseResult[]): readonly Verdict[] {
  return targets.flatMap(({ name, case: caseName, limit, aim, isAtLeast = false, unit, figure }) => {
    const samples = results.find((result) => result.name === caseName)?.samples ?? []
    const value = figure(samples)
    if (value === undefined) return []
    const sign = isAtLeast ? '≥' : '≤'
    return {
      name,
      figure: `${value.toFixed(value < 10 ? 2 : 1)}${unit}`,
      limit: `${sign} ${limit}${unit}`,
      aim: aim === undefined ? '' : `${sign} ${aim}${unit}`,
      isMet: isAtLeast ? value >= limit : value <= limit,
    }
  })
}
