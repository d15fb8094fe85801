/** What one contender took in one repetition. All contenders of a group run in every repetition, in shuffled order. */
export interface Sample {
  readonly rep: number
  /** What is compared with each other, such as `1,000 stored messages`. */
  readonly group: string
  readonly contender: string
  /** In the case's unit, by what was measured: `time`, `first page`, `longest task`, … The first one is compared. */
  readonly figures: Readonly<Record<string, number>>
}

export interface CaseResult {
  readonly name: string
  readonly title: string
  /** What a reader must know to read the numbers right. */
  readonly notes: readonly string[]
  readonly unit: 'ms' | 'bytes' | 'MB'
  readonly samples: readonly Sample[]
}

/** How much to measure. */
export interface Effort {
  readonly reps: number
  /** Small sizes only, to see that everything works. */
  readonly isQuick: boolean
  /** Measures this contender alone. */
  readonly only?: string
}

/** Cases that run in one page, once everything is open. */
export const pageCases = ['append', 'burst', 'stream', 'tail', 'load', 'list', 'alias', 'context', 'search'] as const
export type PageCase = (typeof pageCases)[number]

/** All cases: the others look at a browser from outside. */
export const caseNames = [...pageCases, 'cold', 'disk', 'heap'] as const
export type CaseName = (typeof caseNames)[number]
