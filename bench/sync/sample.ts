/** What one contender came to in one repetition. */
export interface SyncSample {
  readonly rep: number
  readonly group: string
  readonly contender: string
  /** By what was measured, with its unit: `live (B)`. */
  readonly figures: Readonly<Record<string, number>>
}

/** One contender in one group. */
export interface SyncCell {
  readonly group: string
  readonly contender: string
  readonly run: () => Promise<SyncSample['figures']>
}

export const ours = 'keepsession'
