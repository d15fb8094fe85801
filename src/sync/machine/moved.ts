import type { SyncEffect, SyncEffectType } from './machine-command.ts'
import { inPhase, mayConnect, type SyncFacts, type SyncMachineState } from './machine-state.ts'

/** What follows from an event. */
export interface Moved {
  readonly state: SyncMachineState
  /** To be done in this order. */
  readonly commands: readonly SyncEffect[]
}

export const tell: SyncEffect = { type: 'tell', what: 'sync' }
export const review: SyncEffect = { type: 'review', again: [] }

/** Commands that are nothing but their name. */
type PlainEffect = Exclude<
  SyncEffectType,
  'tell' | 'review' | 'retryBlobs' | 'notice' | 'quarantineList' | 'showWatched'
>

/**
 * The next state: the facts that have changed, and what has to be done. Sessions are connected and closed here, and
 * nowhere else, so that they are connected exactly in the phases that allow it. So are the blobs that an earlier run
 * left, and those that could not be copied: they are retried once it is known that our key is the one in use.
 */
export function moved(
  before: SyncMachineState,
  facts: Partial<SyncFacts>,
  ...commands: readonly (SyncEffect | PlainEffect)[]
): Moved {
  const next = inPhase({ ...before, ...facts })
  const begins = next.phase === 'exchanging' && before.phase !== 'exchanging'
  const state = begins && next.leftBlobs.length > 0 ? { ...next, leftBlobs: [] } : next
  const given = commands.map((one) => (typeof one === 'string' ? { type: one } : one))
  const starts = mayConnect(state) && !mayConnect(before)
  const stops = !mayConnect(state) && mayConnect(before) && !given.some(({ type }) => type === 'stopWindow')
  const first: readonly SyncEffect[] = starts ? [{ type: 'startWindow' }] : stops ? [{ type: 'stopWindow' }] : []
  const blobs: readonly SyncEffect[] = begins ? [{ type: 'retryBlobs', hashes: next.leftBlobs }] : []
  return { state, commands: [...first, ...given, ...blobs] }
}
