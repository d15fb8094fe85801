import type { VersionVector } from '../contract/entry.ts'
import type { Refusal } from './ingest.ts'

/** The result of taking in an update from elsewhere. */
export interface ReceiveReport {
  /** Entries that were stored now. */
  readonly added: number
  readonly known: number
  /** What was not accepted, and why. Nothing of it was stored. */
  readonly quarantined: readonly Refusal[]
  /**
   * How many entries were sealed with a key that is not here. They were neither stored nor refused: the state vector
   * still asks for them.
   */
  readonly sealed: number
  /** Whether something before it is missing: ask the other side again. */
  readonly hasGap: boolean
  /** How far the sender is with the writers of this update. */
  readonly theirs: VersionVector
  /** Why the store accepted nothing (more). Nothing is lost: the state vector still asks for it. */
  readonly error?: Error
}
