import { isReadable, type Pieces } from './pieces-of.ts'

/** What becomes of a streamed reply. */
export interface StreamRecorder {
  /** Called with each piece before it is handed on. */
  add(piece: unknown): void
  /** Called once. Whoever reads the stream gets to its end when this is done. */
  end(isWhole: boolean): Promise<void>
}

/**
 * Hands a streamed reply on, piece by piece as it comes, and has it recorded. Starts with the first read.
 *
 * @param reply - as it came: the same kind of stream is given back
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
    // Nothing is read ahead: what nobody wants to have is not asked for.
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
    // What is there is kept, even where the source can't be stopped.
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
        // The source may be fine: then it must not go on for nobody.
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
