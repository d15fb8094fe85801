import type { Breather } from '../pacing/breather.ts'
import type { Segment } from './segment.ts'

/** How far a session is indexed. */
export interface IndexedSession {
  readonly key: string
  /** Its local number. */
  readonly number: number
  readonly version: number
  /** How many entries it had, control entries included, and the greatest order of the control entries. */
  readonly entries: number
  readonly lastControl: string
}

/** The stored form of an index. */
export interface StoredIndex {
  readonly segments: readonly { readonly id: number; readonly segment: Segment; readonly dead: Uint8Array }[]
  readonly sessions: readonly IndexedSession[]
}

/** The changes since the index was last stored. */
interface IndexChange {
  /** Ids of all current segments. */
  readonly ids: readonly number[]
  /** New segments. */
  readonly added: StoredIndex['segments']
  /** Segments of which documents were removed. */
  readonly dead: readonly { readonly id: number; readonly dead: Uint8Array }[]
  readonly sessions: readonly IndexedSession[]
  /** Local numbers of sessions that do not exist any more. */
  readonly gone: readonly number[]
}

/** Stores an index. An index that can't be loaded completely is not loaded at all, because it can always be rebuilt. */
export interface IndexBlocks {
  load(breathe: Breather): Promise<StoredIndex | undefined>
  /** Stores all of the change, or nothing. */
  save(change: IndexChange): Promise<void>
  close(): void
}
