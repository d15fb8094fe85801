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
/** Hands on the blobs that an earlier run left, and retries all. */
export const retryLeft = ({ leftBlobs }: SyncFacts): SyncEffect => ({ type: 'retryBlobs', hashes: leftBlobs })

/** Commands that are nothing but their name. */
type PlainEffect = Exclude<
  SyncEffectType,
  'tell' | 'review' | 'retryBlobs' | 'notice' | 'quarantineList' | 'showWatched'
>

/**
 * The next state: the facts that have changed, and what has to be done. Sessions are connected and closed here, and
 * nowhere else, so that they are connected exactly in the phases that allow it.
 */
export function moved(
  before: SyncMachineState,
  facts: Partial<SyncFacts>,
  ...commands: readonly (SyncEffect | PlainEffect)[]
): Moved {
  const state = inPhase({ ...before, ...facts })
  const given = commands.map((one) => (typeof one === 'string' ? { type: one } : one))
  const starts = mayConnect(state) && !mayConnect(before)
  const stops = !mayConnect(state) && mayConnect(before) && !given.some(({ type }) => type === 'stopWindow')
  const first: readonly SyncEffect[] = starts ? [{ type: 'startWindow' }] : stops ? [{ type: 'stopWindow' }] : []
  return { state, commands: [...first, ...given] }
}
