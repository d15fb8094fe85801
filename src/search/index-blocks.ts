import type { Breather } from '../pacing/breather.ts'
import type { Segment } from './segment.ts'

/** How far a session is indexed. */
export interface IndexedSession {
  readonly key: string
  /** Its local number. */
  readonly number: number
  readonly version: number
  /** How many entries it had, control entries included, and the greatest order of those. */
  readonly entries: number
  readonly lastControl: string
}

/** What is kept of an index. */
export interface StoredIndex {
  readonly segments: readonly { readonly id: number; readonly segment: Segment; readonly dead: Uint8Array }[]
  readonly sessions: readonly IndexedSession[]
}

/** What changed since it was last kept. */
export interface IndexChange {
  /** All segments that there are now. */
  readonly ids: readonly number[]
  /** Those that are new. */
  readonly added: StoredIndex['segments']
  /** Those of which documents were removed. */
  readonly dead: readonly { readonly id: number; readonly dead: Uint8Array }[]
  readonly sessions: readonly IndexedSession[]
  /** Numbers of sessions that are no more. */
  readonly gone: readonly number[]
}

/** Keeps an index. What it can't give back whole it gives back not at all: an index can always be made again. */
export interface IndexBlocks {
  load(breathe: Breather): Promise<StoredIndex | undefined>
  /** All of it or nothing. */
  save(change: IndexChange): Promise<void>
  close(): void
}
