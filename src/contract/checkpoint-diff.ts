import type { Message } from './message.ts'

/** A message that one of two checkpoints shows. */
export interface DiffMessage<M extends object = Message> {
  /** Id of its entry. */
  readonly id: string
  readonly message: M
}

/** How a session changed between two checkpoints. Each list is in reading order. */
export interface CheckpointDiff<M extends object = Message> {
  readonly added: readonly DiffMessage<M>[]
  /** Removed, cut, or on another branch. */
  readonly removed: readonly DiffMessage<M>[]
  readonly edited: readonly { readonly id: string; readonly before: M; readonly after: M }[]
}
