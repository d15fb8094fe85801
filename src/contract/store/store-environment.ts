import type { ChangeSink } from '../change.ts'

/** What a store factory needs from outside. All of it is injected so that tests are repeatable. */
export interface StoreEnvironment {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Fills the array with random bytes. */
  readonly randomBytes: (into: Uint8Array) => void
  /** Called after every commit. */
  readonly onChange: ChangeSink
  /**
   * Name of the Web Lock that the page of this store holds while it lives: the owner of the drafts it opens, even if
   * the worker dies.
   */
  readonly owner?: string
}
