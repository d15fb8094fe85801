import type { MessageStream } from '../message-stream-types.ts'
import { createLocalDrafts, type LocalDrafts } from './local-drafts.ts'

/**
 * The open streams of a client. Holds only what ends them and what they have: an app that drops a stream lets it be
 * garbage-collected, which is how a forgotten one is noticed.
 */
export interface OpenStreams {
  readonly aborts: Set<MessageStream['abort']>
  readonly drafts: LocalDrafts
}

export const createOpenStreams = (): OpenStreams => ({ aborts: new Set(), drafts: createLocalDrafts() })

/** Ends streams, and keeps what they have. Nobody stopped these replies. */
export const endStreams = (aborts: OpenStreams['aborts']): Promise<unknown>[] =>
  [...aborts].map((abort) => abort({ stopped: false }))
