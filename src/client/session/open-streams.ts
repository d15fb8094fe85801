import type { MessageStream } from '../message-stream-types.ts'

/**
 * Streams that are open. Holds only what ends them: an app that drops a stream lets it be garbage-collected, which is
 * how a forgotten one is noticed.
 */
export type OpenStreams = Set<MessageStream['abort']>

/** Ends streams, and keeps what they have. Nobody stopped these replies. */
export const endStreams = (streams: OpenStreams): Promise<unknown>[] =>
  [...streams].map((abort) => abort({ stopped: false }))
