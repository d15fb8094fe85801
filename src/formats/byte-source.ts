import { isSessionError, SessionError } from '../contract/errors.ts'

/** A source of a file's bytes: `blob.stream()`, a response's body, a generator. */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** A chunk with more bytes than this is passed on in pieces, so that no piece keeps a page busy for long. */
const pieceBytes = 256 * 1024

interface Puller {
  next(): Promise<IteratorResult<Uint8Array, unknown>>
  /** Cancels the source without waiting for it. */
  stop(): void
}

/**
 * The bytes of a source, in pieces. Stops the source when the reader stops early.
 *
 * @throws Aborted as soon as the signal fires, even during a read; InvalidInput when the source fails
 */
export async function* readBytes(
  source: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const puller = pullerOf(source)
  const ended = endOf(signal)
  let read = 0
  let isDone = false
  try {
    for (;;) {
      const pulled = await ended.before(puller.next().catch((error: unknown) => fail(error, read)))
      if (pulled.done === true) {
        isDone = true
        return
      }
      const chunk: unknown = pulled.value
      if (!(chunk instanceof Uint8Array))
        throw new TypeError('The source of an import must yield Uint8Arrays. Pass a Blob, or its stream().')
      for (let from = 0; from < chunk.length; from += pieceBytes) yield chunk.subarray(from, from + pieceBytes)
      read += chunk.length
    }
  } finally {
    ended.forget()
    if (!isDone) puller.stop()
  }
}

/** The error of a call that its caller aborted. */
export function abortError(work: 'import' | 'export' = 'import'): SessionError {
  return new SessionError('Aborted', `The ${work} was cancelled.`)
}

/**
 * Lets the signal end waits early, until `forget` is called. Each wait has its own promise: a single one, raced against
 * each read, would keep the results of all reads in memory until the end.
 */
function endOf(signal: AbortSignal | undefined): { before<T>(work: Promise<T>): Promise<T>; forget(): void } {
  let end = (): void => {}
  const onAbort = (): void => end()
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    before: (work) =>
      new Promise((resolve, reject) => {
        end = () => reject(abortError())
        if (signal?.aborted) end()
        work.then(resolve, reject)
      }),
    forget: () => signal?.removeEventListener('abort', onAbort),
  }
}

/** `for await` is not used for streams, because Safari's streams can't be iterated. */
function pullerOf(source: ByteSource): Puller {
  if ('getReader' in source) {
    const reader = source.getReader()
    return {
      next: async () => (await reader.read()) as IteratorResult<Uint8Array, unknown>,
      stop: () => void reader.cancel().catch(() => {}),
    }
  }
  const iterator = source[Symbol.asyncIterator]()
  return { next: async () => iterator.next(), stop: () => void Promise.resolve(iterator.return?.()).catch(() => {}) }
}

function fail(error: unknown, read: number): never {
  // A source that reads another one has already made the error.
  if (isSessionError(error)) throw error
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  if (name === 'AbortError') throw abortError()
  throw new SessionError(
    'InvalidInput',
    `The file could not be read beyond byte ${read}: ${message}. Nothing was imported; choose the file again.`,
    { cause: error },
  )
}
