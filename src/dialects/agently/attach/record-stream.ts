import { isReadable, type Pieces } from './pieces-of.ts'

/** Records a streamed reply. */
export interface StreamRecorder {
  /** Called with each piece before the reader receives it. */
  add(piece: unknown): void
  /** Called once. The reader's stream ends only after this. */
  end(isWhole: boolean): Promise<void>
}

/**
 * Passes a streamed reply on, piece by piece as it arrives, and records it. Recording starts with the first read.
 *
 * @param reply - the original reply: the same kind of stream is returned
 */
export function recordStream(
  reply: unknown,
  pieces: Pieces,
  start: () => StreamRecorder,
): AsyncIterable<unknown> | ReadableStream {
  const iterator = recordPieces(pieces, start)
  if (!isReadable(reply)) return iterator
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await iterator.return(undefined)),
    },
    // Nothing is read ahead, so that pieces are requested only when the reader wants them.
    { highWaterMark: 0 },
  )
}

function recordPieces(
  { iterator, stop }: Pieces,
  start: () => StreamRecorder,
): AsyncGenerator<unknown, undefined, undefined> {
  let recorder: StreamRecorder | undefined
  let ended: Promise<void> | undefined
  const end = (isWhole: boolean): Promise<void> => (ended ??= recorder?.end(isWhole) ?? Promise.resolve())
  const finish = async (): Promise<IteratorReturnResult<undefined>> => {
    const wasEnded = ended !== undefined
    // The reply so far is stored, even if the source can't be stopped.
    await end(false)
    if (!wasEnded) await stop()
    return { done: true, value: undefined }
  }
  const recorded = {
    next: async (): Promise<IteratorResult<unknown, undefined>> => {
      if (ended !== undefined) return ended.then(() => ({ done: true, value: undefined }))
      recorder ??= start()
      let piece: IteratorResult<unknown>
      try {
        piece = await iterator.next()
        if (piece.done !== true) recorder.add(piece.value)
      } catch (error) {
        await end(false)
        // The error may not come from the source. Then it must be stopped, because nobody reads it any more.
        await stop(error).catch(() => undefined)
        throw error
      }
      if (piece.done !== true) return { done: false, value: piece.value }
      await end(true)
      return { done: true, value: undefined }
    },
    return: finish,
    throw: async (error: unknown): Promise<never> => {
      await finish()
      throw error
    },
    [Symbol.asyncIterator]: () => recorded,
    [Symbol.asyncDispose]: async () => void (await finish()),
  }
  return recorded as AsyncGenerator<unknown, undefined, undefined>
}
