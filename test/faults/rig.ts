/** Where a rig runs. `node`: without a browser. */
export type Engine = 'chromium' | 'firefox' | 'webkit' | 'node'

/** What a rig counted, in the order in which the table shows it: `acknowledged: 40361`. */
type Figures = Readonly<Record<string, number | string>>

export interface Outcome {
  readonly figures: Figures
  /** What went against the goal, one line each. None: the rig passed. */
  readonly failures: readonly string[]
}

export interface RigRun {
  /** 1 for the figures of the goal; smaller ones shrink every count, but never below one. */
  readonly scale: number
  readonly engine: Engine
  /** Says how far it is, for whoever watches. */
  readonly report: (line: string) => void
  /** Ends the rig early: it rejects with the signal's reason, and leaves nothing running. */
  readonly signal: AbortSignal
}

/** Something that breaks one thing, again and again, and counts what it did to the sessions. */
export interface Rig {
  readonly name: string
  /** What has to come out of it, in one line of the table. */
  readonly goal: string
  readonly engines: readonly Engine[]
  /** Tools besides the browsers themselves, of those `needs.ts` knows. */
  readonly needs: readonly string[]
  run(run: RigRun): Promise<Outcome>
}

/** So many of a full count, at least one. */
export function scaled(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale))
}
