/** A stream of pieces, read once. */
export interface Pieces {
  readonly iterator: AsyncIterator<unknown>
  /** Ends the source early. */
  stop(reason?: unknown): Promise<unknown>
}

/** The pieces of a streamed reply; `undefined` for a reply that is not a stream. */
export function piecesOf(reply: unknown): Pieces | undefined {
  if (isReadable(reply)) {
    const reader = reply.getReader()
    return {
      iterator: { next: () => reader.read() as Promise<IteratorResult<unknown>> },
      stop: (reason) => reader.cancel(reason),
    }
  }
  if (typeof reply !== 'object' || reply === null || !(Symbol.asyncIterator in reply)) return undefined
  const iterator = (reply as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  return { iterator, stop: async (reason) => iterator.return?.(reason) }
}

export const isReadable = (reply: unknown): reply is ReadableStream =>
  typeof ReadableStream === 'function' && reply instanceof ReadableStream
